# frozen_string_literal: true

require_relative '../fuzz/chance'

module Conformance
  module Manifests
    # Small manifests with a mistake: a comma that is missing or doubled, a name that Puppet refuses, a word at a wrong place.
    # Some of them are right after all.
    class Mistakes
      # Together, these use all of Puppet's grammar.
      MANIFESTS = [
        "class m::x(Integer $a = 1, Optional[String] $b = undef) inherits m { include foo $c = lookup('x', String, 'first', undef) }",
        "class m::x { file { '/x': ensure => present, mode => '0644'; '/y': } }",
        'class m::x { if $a == 1 { notice("a") } elsif $b { fail("c") } else { include q } }',
        'class m::x { case $a { 1, 2: { } /re/: { $z = 1 } default: { fail("x") } } notice(2) }',
        'class m::x { unless $a { include b } else { include c } }',
        'class m::x { $a.each |Integer $i, $v| { notice("${i} ${v[1]}") } }',
        'class m::x { $h = { a => 1, "b" => [1, 2], type => function, } }',
        'class m::x { File <| tag == "a" and title != "b" |> { mode => "1" } }',
        'class m::x { File <<| tag == "x" |>> { mode +> "1" } File["a"] -> File["b"] ~> Service["c"] }',
        'class m::x { @@file { "a": * => $x } @user { default: a => 1; ["b", "c"]: } }',
        'class m::x { $z = $a ? { 1 => 2, default => 3 } }',
        "class m::x { $t = @(\"E\"/L)\n text ${x}\n | E\n}",
        'define m::x($a, Array[String] $b = [], $c = $b ? { 1 => 2 }) { notify { $title: } }',
        'class m::x { File { mode => "1", owner => root } File["a"] { mode +> "1" } }',
        'class m::x { [$a, [$b]] = [1, [2]] $d = $e = 1 }',
        'class m::x { $x = $a + -1 * (2 - !$b) % 3 << 4 }',
        'class m::x { notice $a["b"]["c"].dig("x") include a, b realize(File["x"]) }',
        'class m::x { if $a =~ /x/ or ($b in [1]) and !$c { notice(1) } }',
        'function m::x(Integer $a, String *$rest) >> Array[String, 1] { $a.map |$y| { $z = $y } }',
        "type M::X = Variant[Integer, Enum['a']]\ntype M::Y = Struct[{ a => 1 }]",
        "node 'a.b', /x/ { include b }\nnode default { }",
        'class m::x { class { "a": b => 1; "c": } class n { } define d { } }',
        'class m::x { notice(1); notice(2) foo { "a": } }',
        'class m::x { create_resources("file", $h, { a => 1 }) $f = [ *$b, *[1] ] f(*$c) }',
        'class m::x { "a" =~ /b/ Class["a"] -> Class["b"] contain(x) }',
        '$a = lookup("x", { merge => deep }) |$k| { 1 }'
      ].freeze
      PIECES = [
        ';', ',', '{', '}', '(', ')', '[', ']', '=>', '+>', '=', '==', '->', '<|', '|>', '|', '.', '1', '"x"', 'foo', 'Foo', 'elsif { }',
        'else { }', 'if', 'case', 'default', 'and', 'in', '!', '-', '*', '@', '@@', '?', ':', 'unless', 'class', 'define', 'node',
        'function', 'type', '/', '%', 'inherits', 'undef', "\n", 'lookup', '08', '1.x', '$', '+=', '-=', '$title', '$name', '*$a',
        '$Xa', '$a::b', '$a::B', '$1', '$01', '$_a', '::x', 'x-y', '_x', 'X', 'String', 'integer', "'it''s'", 'include a b', '[1]',
        '{ a => 1 }', '{}', '()', '(1)', 'private', 'attr', 'File <| |>', 'File["x"]', 'foo { }', 'foo { a => 1 }', '* =>', '=> 1',
        ', a => 1', 'a => 1', '$x = 1', 'f()', '1 =~ 2', 'if $x { }', 'if $x { 1 }', 'if f() { }', 'unless $x { 1 }',
        'case $x { 1: { } }', '$x ? { 1 => 2 }', 'default =>', 'default: { }', 'class a { }', 'function f() { }', 'type A = B',
        'define d { }', 'node n { }', '"${x}"', '-1', '!$x', 'true', '@class { "a": }', '1 + 2', "include\n"
      ].freeze
      TOKEN = /\w+|[ \t]+|\n|"[^"]*"|'[^']*'|=>|[^\w\s]/

      def initialize(seed)
        @chance = Fuzz::Chance.new(seed)
      end

      # A text.
      def make
        text = Array.new(@chance.one_in(4) ? 2 : 1) { @chance.of(MANIFESTS) }.join("\n")
        @chance.number(1..2).times { text = spoil(text.scan(TOKEN)) }
        "#{text}\n"
      end

      private

      def spoil(tokens)
        place = @chance.number(0...tokens.size)
        case @chance.weighted(drop: 2, add: 4, replace: 2, repeat: 2)
        when :drop then tokens.delete_at(place)
        when :add then tokens.insert(place, " #{@chance.of(PIECES)} ")
        when :replace then tokens[place] = @chance.of(PIECES)
        when :repeat then tokens.insert(place, tokens[place])
        end
        tokens.join
      end
    end
  end
end
