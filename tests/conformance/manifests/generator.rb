# frozen_string_literal: true

require_relative '../fuzz/chance'

module Conformance
  module Manifests
    # Random manifests that use the corners of the language: heredocs, interpolations within interpolations, regular
    # expressions beside divisions, reserved words as names, comments anywhere. Puppet refuses some of them.
    class Generator
      NAMES = %w[a b foo bar baz fooBar x1 web_server lookup include contain require type_a].freeze
      WORDS = %w[foo-bar _a a-b-c latest present absent].freeze
      VARIABLES = %w[$x $y $facts $a::b $::top $_z $x1 $class $if $fooBar].freeze
      TYPES = %w[String Integer Boolean Any Stdlib::Port Data Foo::Bar_baz Optional].freeze
      KEYS = %w[profile::port k a::b::c deep.key 0 Ünïcödé].freeze
      FUNCTIONS = %w[lookup hiera hiera_array hiera_hash hiera_include include contain require ::lookup ::include foo a::b upcase].freeze
      KEYWORDS = %w[case class default define if elsif else inherits node and or undef in unless function type attr private].freeze
      COMMENTS = ["# it's a \"comment\" { ( [\n", '/* a } comment */', "/* over\n two lines */", '/* # */', "#\n", "# @param x\n"].freeze

      def initialize(seed)
        @chance = Fuzz::Chance.new(seed)
        @tags = 0
        @pending = []
      end

      # One file, and how many declarations it has at most.
      def file
        @declared = 0
        text = Array.new(@chance.number(1..8)) { @chance.one_in(4) ? statement(2) : declaration(0) }.join(line_end)
        text += line_end
        text = text.gsub("\n", "\r\n") if @chance.one_in(15)
        [text, @declared]
      end

      private

      def declaration(depth)
        @declared += 1
        case @chance.weighted(class: 8, define: 4, function: 3, alias: 3, node: 2)
        when :class then "#{word('class')}#{name}#{parameters}#{inherits}#{gap}{#{body(depth)}}"
        when :define then "#{word('define')}#{name}#{parameters}#{gap}{#{body(depth)}}"
        when :function then "#{word('function')}#{name}#{parameters(rest: true)}#{returns}#{gap}{#{body(depth)}}"
        when :alias then type_alias
        when :node then "#{word('node')}#{list(1..3) { host }}#{@chance.one_in(6) ? ',' : ''}#{gap}{#{body(depth)}}"
        end
      end

      def type_alias
        name = @chance.of(%w[Foo::Bar A A::B::C Port ::X])
        right = @chance.weighted(type: 6, object: 1, hash: 1)
        text =
          case right
          when :type then type(3)
          when :object then "Object#{@chance.of(['[', ' '])}{ a => #{type(1)}, 'b' => 1 }"
          when :hash then "{ attributes => { a => #{type(1)} } }"
          end
        text += ']' if text.start_with?('Object[')
        "#{word('type')}#{name}#{gap}=#{gap}#{text}"
      end

      def host
        @chance.of(["'web1.example.com'", 'a.b.c', 'default', '/^db\d+\.x/', "'a'", '"b"', 'n1.a2', "/a\\/b/"])
      end

      def name
        base = Array.new(@chance.number(1..2)) { @chance.of(NAMES) }.join('::')
        @chance.one_in(30) ? "::#{base}" : base
      end

      def inherits
        return '' unless @chance.one_in(4)

        "#{blank}#{word('inherits')}#{@chance.of(['foo', '::foo::bar', 'default', 'a::b'])}"
      end

      def returns
        @chance.one_in(3) ? " >> #{type(1)}" : ''
      end

      def parameters(rest: false)
        return '' if @chance.one_in(4)
        return gap + '()' if @chance.one_in(8)

        list = Array.new(@chance.number(1..5)) { parameter }
        list << "#{@chance.one_in(2) ? "#{type(1)} " : ''}*$rest" if rest && @chance.one_in(3)
        inner = list.join(@chance.of([', ', ',', ",\n  "]))
        "#{@chance.of(['', ' ', "\n"])}(#{gap}#{inner}#{@chance.one_in(3) ? ',' : ''}#{gap})"
      end

      def parameter
        typed = @chance.one_in(5) ? '' : type(2) + @chance.of([' ', '', "\n ", ' /* t */ '])
        default = @chance.one_in(3) ? '' : "#{@chance.of(['=', ' = ', " =\n"])}#{@chance.one_in(3) ? expression(2) : literal(2)}"
        "#{typed}$#{@chance.of(%w[a b c fooBar _x x1 class type port])}#{default}"
      end

      def type(depth)
        base = @chance.of(TYPES)
        return base if depth.zero? || @chance.one_in(3)

        @chance.of([
                     -> { "#{base}[#{list(1..2) { type(depth - 1) }}]" },
                     -> { "Enum['a', b, #{string(0)}]" },
                     -> { 'Pattern[/^[a-z]+\/x$/, /[{(]/]' },
                     -> { "Struct[{#{gap}a => #{type(depth - 1)}, Optional['b'] => #{type(depth - 1)} }]" },
                     -> { "Integer[#{@chance.of(%w[1 default -5 0x1F])}, 10]" },
                     -> { "Variant[#{type(depth - 1)},#{gap}#{type(depth - 1)}]" }
                   ]).call
      end

      def body(depth)
        @chance.times(0..4) do
          depth < 2 && @chance.one_in(4) ? line_end + declaration(depth + 1) : line_end + statement(2)
        end.join + line_end
      end

      def statement(depth)
        return 'notice(1)' if depth.negative?

        @chance.of([
                     -> { "#{@chance.of(%w[include contain require])} #{list(1..3) { inclusion(depth) }}" },
                     -> { "#{@chance.of(VARIABLES.first(3))} = #{expression(depth)}" },
                     -> { call(depth) },
                     -> { resource(depth) },
                     -> { class_resource(depth) },
                     -> { "if #{expression(depth - 1)} {#{body(3)}} #{@chance.of(['', "elsif #{expression(0)} { }", "else {#{body(3)}}"])}" },
                     -> { "unless #{expression(0)} {#{body(3)}}" },
                     -> { "case #{expression(0)} { #{list(1..2) { @chance.of(["'a'", '/re\/x/', 'Integer[1]', '*$x']) }}: {#{body(3)}} default: { } }" },
                     -> { "#{expression(0)}.each |$k, $v| {#{body(3)}}" },
                     -> { "Foo[#{string(0)}] #{@chance.of(%w[-> ~> <- <~])} Class['a']" },
                     -> { "File <| title == #{string(0)} and tag != 'x' |> { mode => '0' }" },
                     -> { "Foo::Bar <<| |>>" },
                     -> { "@@file { #{string(0)}: ensure => present }" },
                     -> { "File { mode => #{expression(0)} }" },
                     -> { "File[#{string(0)}] { mode +> 1 }" },
                     -> { "notice #{string(depth)}" },
                     -> { comment + statement(depth - 1) },
                     -> { "include {#{gap}a => #{expression(0)} }" }
                   ]).call
      end

      def inclusion(depth)
        @chance.of([
                     -> { name }, -> { string(0) }, -> { "'::a::b'" }, -> { "Class['a', b]" }, -> { "Class[c]" },
                     -> { "[#{list(0..3) { inclusion([depth - 1, 0].max) }}]" }, -> { @chance.of(VARIABLES) }, -> { string(depth) }
                   ]).call
      end

      def resource(depth)
        bodies = Array.new(@chance.number(1..2)) { "#{title(depth)}: #{attributes(depth)}" }
        "#{@chance.of(%w[file foo::bar service])} {#{gap}#{bodies.join('; ')}#{@chance.one_in(4) ? ';' : ''}#{line_end}}"
      end

      def class_resource(depth)
        bodies = Array.new(@chance.number(1..2)) { "#{@chance.one_in(6) ? 'default' : title(depth)}: #{attributes(depth)}" }
        "class#{gap}{#{gap}#{bodies.join(@chance.of(['; ', ";\n"]))}#{line_end}}"
      end

      def title(depth)
        @chance.of([
                     -> { string(depth) }, -> { 'foo' }, -> { "[#{list(1..3) { string(0) }}]" }, -> { "$x" }, -> { "\"a\" +\n 'b'" }, -> { "'::c'" }
                   ]).call
      end

      def attributes(depth)
        list(0..3) do
          key = @chance.one_in(4) ? @chance.of(KEYWORDS) : @chance.of(%w[ensure mode p *])
          "#{key} =>#{gap}#{expression(depth - 1)}"
        end + (@chance.one_in(3) ? ',' : '')
      end

      def call(depth)
        function = @chance.of(FUNCTIONS)
        arguments = list(0..3) { argument(depth) }
        @chance.of([
                     -> { "#{function}(#{gap}#{arguments}#{gap})" },
                     -> { "#{function} (#{arguments})" },
                     -> { "#{function}(#{arguments}) |$k| { #{string(0)} }" },
                     -> { "#{receiver(depth)}.#{function.delete_prefix('::')}" },
                     -> { "#{receiver(depth)}\n  .#{function.delete_prefix('::')}(#{arguments})" },
                     -> { "lookup(#{option_hash(depth)})" },
                     -> { "lookup([#{list(1..3) { string(0) }}], #{type(1)}, 'unique', [])" }
                   ]).call
      end

      def option_hash(depth)
        pairs = ["#{@chance.of(["'name'", 'name', '"name"'])} => #{@chance.of([string(0), "['a', $b]", string(depth)])}",
                 "'default_value' => #{expression(depth - 1)}", 'merge => { strategy => deep }']
        inner = @chance.some(pairs, @chance.number(1..3)).join(",#{gap}")
        @chance.one_in(2) ? "{#{gap}#{inner}#{gap}}" : inner
      end

      def receiver(depth)
        @chance.of([-> { string(0) }, -> { "['a', #{string(0)}]" }, -> { '$x' }, -> { "$x['a']" }, -> { "Class['z']" }, -> { string(depth) }]).call
      end

      def argument(depth)
        @chance.of([-> { "'#{@chance.of(KEYS)}'" }, -> { string(depth) }, -> { expression(depth - 1) }, -> { type(1) },
                    -> { "a => #{expression(0)}" }]).call
      end

      def expression(depth)
        return literal(0) if depth <= 0

        @chance.of([
                     -> { literal(depth) },
                     -> { @chance.of(VARIABLES) },
                     -> { "$x[#{expression(depth - 1)}]" },
                     -> { call(depth - 1) },
                     -> { "#{expression(depth - 1)} #{@chance.of(%w[+ - * / % << == != < > <= >= and or in =~ !~])} #{expression(depth - 1)}" },
                     -> { "#{@chance.of(['!', '! ', '-'])}$y" },
                     -> { "(#{expression(depth - 1)})" },
                     -> { "$x ? { /a\\/b/ => #{expression(depth - 1)}, default => #{literal(0)} }" },
                     -> { "$x ? 'a' => #{literal(0)}" },
                     -> { "$y.map |$k, $v = 1| { #{expression(depth - 1)} }" },
                     -> { "$y.filter |Integer $k| >> Boolean { $k =~ /}/ }" },
                     -> { "if $x { #{expression(0)} } else { #{expression(0)} }" },
                     -> { "$x =~ /[\"'{]/" },
                     -> { "$x / 2 / $y" },
                     -> { "(1) / 2 / 3" }
                   ]).call
      end

      def literal(depth)
        @chance.of([
                     -> { string(depth) },
                     -> { @chance.of(%w[1 0 -7 0x1F 0755 1.5 1e5 1.5e-3]) },
                     -> { @chance.of(%w[true false undef default]) },
                     -> { @chance.of(WORDS + NAMES.first(4)) },
                     -> { @chance.of(['/re/', '/a\/b/', '/[#"\']/']) },
                     -> { depth.positive? ? "[#{list(0..3) { literal(depth - 1) }}#{@chance.one_in(5) ? ' ]' : ']'}" : '[]' },
                     -> { depth.positive? ? "{#{gap}#{list(0..2) { "#{key} => #{literal(depth - 1)}" }}#{gap}}" : '{}' }
                   ]).call
      end

      def key
        @chance.of(["'a'", 'b', '"c"', '1', 'default', 'type', 'function', 'true', "'class'"])
      end

      def string(depth)
        @chance.of([
                     -> { "'#{@chance.of(['a', "it\\'s", 'x::y', "two\nlines", '\\\\', 'é😀', '${x}', '"', '#{', 'a\\nb'])}'" },
                     -> { "\"#{@chance.of(['a', '\\"', 'x $ y', '\\${x}', '\\u00e9\\u{1F600}', "a\\\nb", '\\q', '#', '{', '$', 'é', '%{x}', "'", '/*'])}\"" },
                     -> { depth.positive? ? interpolated(depth - 1) : "'b'" },
                     -> { depth.positive? ? heredoc(depth - 1) : "\"c\"" }
                   ]).call
      end

      def interpolated(depth)
        parts = Array.new(@chance.number(1..3)) do
          @chance.of(['$x', '${x}', '$a::b.c', '${x[1]}', '$x[0]', "${x.upcase}", '${class}', '${0}', '\\$', 'text ', '{', '}',
                      -> { "${ #{expression(depth)} }" }, -> { "${#{call(depth)}}" }, -> { "${ {a=>{b=>1}}[\"a\"] }" },
                      -> { "${ $x =~ /}/ }" }, -> { "${ $y.map |$z| { \"q${z}\" } }" }, -> { "${'k'.lookup}" }])
        end
        "\"#{parts.map { |part| part.is_a?(Proc) ? part.call : part }.join}\""
      end

      # The text starts at the next line.
      def heredoc(depth)
        tag = @chance.of(['END', 'E O F', 'x', 'T-1'])
        interpolates = @chance.one_in(2)
        margin = @chance.of(['', '  ', '    '])
        lines = @chance.times(0..3) do
          @chance.of(['text', 'class x {', "it's", '# no comment', '| bar', '\\n', '\\${x}', '$x', '${x}', '', '  deep', "END\u00a0x",
                      -> { interpolates ? "a ${lookup('in::heredoc')} b" : '${' }, -> { interpolates ? '${ $y.map |$z| { "${z}" } }' : '"' }])
        end
        lines = lines.map { |line| margin + (line.is_a?(Proc) ? line.call : line) }
        lines.reject! { |line| line.end_with?(tag) }
        bar = @chance.one_in(2) ? '| ' : ''
        dash = @chance.one_in(3) ? '- ' : ''
        @pending << (lines + ["#{margin}#{bar}#{dash}#{tag}"]).join("\n")
        written = interpolates ? "\"#{tag}\"" : tag
        "@(#{@chance.of(['', ' '])}#{written}#{@chance.of(['', ':json', ':pp', ': text '])}#{@chance.of(['', '/', '/tn', '/L', '/$', '/n$L'])})"
      end

      def list(range)
        Array.new(@chance.number(range)) { yield }.join(@chance.of([', ', ',', ' , ']))
      end

      # White space that may contain heredoc texts.
      def line_end
        texts = @pending.map { |text| "#{text}\n" }.join
        @pending = []
        "\n#{texts}#{@chance.of(['', '  ', "\t"])}"
      end

      def gap
        @pending.empty? ? @chance.of(['', ' ', ' ', "\n  ", comment, ' ']) : line_end
      end

      def blank
        @chance.of([' ', "\n", "  "])
      end

      def comment
        @pending.empty? ? @chance.of(COMMENTS) : ' '
      end

      def word(text)
        "#{text}#{@chance.of([' ', '  ', "\n", " /* c */ ", "\u00a0"])}"
      end
    end
  end
end
