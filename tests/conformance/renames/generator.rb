# frozen_string_literal: true

require 'fileutils'
require_relative '../fuzz/chance'

module Conformance
  module Renames
    # A random environment: a class with parameters, a class that inherits from it, others that read its variables, and data.
    class Generator
      PARAMETERS = %w[a b c d].freeze
      # Names of lambdas and local variables; some hide a parameter.
      NAMES = %w[a b x y].freeze

      def initialize(seed)
        @chance = Fuzz::Chance.new(seed)
        @count = 0
      end

      # Writes the files below `root` and returns the parameter to rename.
      def write(root)
        @parameters = @chance.some(PARAMETERS, 2 + @chance.number(0..2)).sort
        files.each do |path, text|
          path = File.join(root, path)
          FileUtils.mkdir_p(File.dirname(path))
          File.write(path, text)
        end
        @chance.of(@parameters)
      end

      private

      def files
        {
          'hiera.yaml' => "version: 5\nhierarchy: [{name: one, path: one.yaml}, {name: two, path: two.yaml}]\n",
          'data/one.yaml' => data, 'data/two.yaml' => data,
          'modules/m/manifests/init.pp' => main, 'modules/m/manifests/heir.pp' => heir,
          'modules/m/manifests/other.pp' => "class m::other {\n#{statements([], 3)}}\n",
          'modules/m/templates/t.epp' => "<%- |$x = 1| -%>\n<%= $m::#{@chance.of(@parameters)} %> <%= $x %>\n",
          'manifests/site.pp' => site
        }
      end

      def data
        keys = @chance.some(@parameters, @chance.number(0..@parameters.size)).map { |it| "m::#{it}: [#{@chance.number(0..9)}, t]\n" }
        keys << "lookup_options: {m::#{@chance.of(@parameters)}: {merge: #{@chance.of(%w[first unique])}}}\n" if @chance.one_in(3)
        keys << "asks: \"%{lookup('m::#{@chance.of(@parameters)}')}\"\n" if @chance.one_in(3)
        "---\n#{keys.join}"
      end

      def main
        known = []
        list = @parameters.map do |name|
          default = expression(known.dup, 2)
          known << name
          "  $#{name} = #{default},\n"
        end
        comment = @parameters.map { |name| "# @param #{name} Of #{name}.\n" }.join
        "#{comment}class m (\n#{list.join}) {\n#{statements(@parameters.dup, 5)}}\n"
      end

      def heir
        own = @chance.one_in(3) ? [@chance.of(@parameters)] : []
        "class m::heir(#{own.map { |it| "$#{it} = 'own'" }.join}) inherits m {\n#{statements(@parameters.dup, 3)}}\n"
      end

      def site
        given = @chance.one_in(3) ? "class { 'm': #{@chance.of(@parameters)} => 'given' }\n" : "include m\n"
        "#{given}include m::heir, m::other\n#{statements([], 2)}notify { 'epp': message => epp('m/t.epp') }\n"
      end

      def statements(known, count)
        known = known.dup
        Array.new(count) { statement(known) }.join
      end

      def statement(known)
        @count += 1
        case @chance.number(0..5)
        when 0
          text = "  $l#{@count} = #{expression(known, 3)}\n"
          known << "l#{@count}"
          text
        when 1
          text = "  $l#{@count} = @(\"E\")\n    #{@chance.of(['', 'a '])}#{interpolated(known)}\n    #{interpolated(known)}.\n    | E\n"
          known << "l#{@count}"
          text
        when 2 then "  if #{expression(known, 1)} == 1 { notify { \"i#{@count}\": } } else { notify { \"e#{@count} #{interpolated(known)}\": } }\n"
        else "  notify { \"n#{@count}\": message => #{expression(known, 3)} }\n"
        end
      end

      def expression(known, depth)
        return leaf(known) if depth.zero?

        case @chance.number(0..7)
        when 0, 1 then leaf(known)
        when 2 then "[#{expression(known, depth - 1)}, #{expression(known, depth - 1)}]"
        when 3 then "{ a => #{expression(known, depth - 1)}, 'b' => #{leaf(known)} }"
        when 4 then "#{expression(known, depth - 1)} ? { 1 => #{leaf(known)}, default => #{expression(known, depth - 1)} }"
        when 5 then "\"a #{interpolated(known)} $ \\$a #{interpolated(known)}\""
        else lambda_call(known, depth)
        end
      end

      def lambda_call(known, depth)
        name = @chance.of(NAMES)
        inner = known | [name]
        local = @chance.one_in(3) ? "$y#{@count += 1} = #{leaf(inner)}; " : ''
        "[1, #{leaf(known)}].map |$#{name}| { #{local}#{expression(inner, depth - 1)} }"
      end

      def leaf(known)
        case @chance.number(0..5)
        when 0 then @chance.of(['1', "'t'", 'undef'])
        when 1 then "lookup('m::#{@chance.of(@parameters)}', Any, #{@chance.of(%w[first unique])}, 0)"
        when 2 then known.empty? ? '2' : "\"${#{@chance.of(known)}}\""
        else known.empty? ? qualified : "$#{@chance.of(known)}"
        end
      end

      # Not in the defaults of parameters: the class has no variables there yet, so they are undef before and after.
      def qualified
        @chance.of(['$m::', '$::m::', '$m::heir::']) + @chance.of(@parameters)
      end

      def interpolated(known)
        return "${#{qualified.delete('$')}}" if known.empty? || @chance.one_in(6)

        name = @chance.of(known)
        @chance.of(["$#{name}", "${#{name}}", "${[$#{name}, 1].size}", "${#{name}}#{name}", "${if true { $#{name} }}"])
      end
    end
  end
end
