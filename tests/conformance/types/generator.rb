# frozen_string_literal: true

# Random types, and values that belong to them, nearly belong to them, or do not.

require 'fileutils'
require 'json'

module Conformance
  module Types
    # Aliases in a module of their own: plain, nested, recursive, mutually recursive, and with an unknown name. A recursive alias
    # refers to itself through a Variant: without one, Puppet could use it only once.
    module Aliases
      BODIES = JSON.parse(File.read(File.join(__dir__, 'aliases.json'))).freeze

      def self.write(directory)
        types = File.join(directory, 'fz', 'types')
        FileUtils.mkdir_p(types)
        BODIES.each do |name, body|
          File.write(File.join(types, "#{name.downcase}.pp"), "# @summary #{name}\ntype Fz::#{name} = #{body}\n")
        end
        BODIES.keys.map { |name| "Fz::#{name}" }
      end

      # The names that the type files of modules define.
      def self.names(directories)
        files = directories.flat_map { |directory| Dir[File.join(directory, '*', 'types', '**', '*.pp')] }
        files.sort.filter_map { |file| File.read(file)[/^type\s+([\w:]+)\s*=/, 1] }
      end
    end

    # Makes the same pairs from the same seed.
    class Generator
      # A type's text, and a generator of its values.
      Made = Struct.new(:text, :value)

      WORDS = ['a', 'b', 'ab', 'A', 'running', 'stopped', '', 'é', 'x y', "it's", "two\nlines", '0', '80', '1.5', 'true', 'yes', 'absent',
               '/tmp', '10.0.0.1', 'web01.example.com', 'default'].freeze
      PATTERNS = ['a', '^a', 'b$', '\A[a-z]+\z', '\d+', '^(a|b)', 'x/y', '(?i:RUN)'].freeze
      PLAIN = %w[Any Undef Default Scalar ScalarData Numeric Boolean Integer Float String Enum Pattern Regexp Collection Array Hash Tuple
                 Struct Variant Optional NotUndef Sensitive Type Iterable Iterator Binary Timestamp Timespan SemVer SemVerRange URI Data
                 RichData RichDataKey Callable Init Runtime CatalogEntry Class Resource File Object Deferred Error TypeSet
                 Puppet::LookupKey Puppet::LookupValue].freeze

      def initialize(seed, aliases)
        @random = Random.new(seed)
        @aliases = aliases
      end

      def pairs(count)
        pairs = []
        while pairs.size < count
          made = chance(0.04) ? broken : type(@random.rand(4))
          (1 + @random.rand(6)).times { pairs << { 'type' => made.text, 'value' => value_near(made) } }
        end
        pairs.first(count)
      end

      private

      def chance(share) = @random.rand < share

      def pick(list) = list[@random.rand(list.size)]

      def value_near(made)
        roll = @random.rand
        return anything(2) if roll < 0.12

        value = made.value.call
        roll < 0.5 ? value : changed(value)
      end

      def type(depth)
        return scalar if depth <= 0 || chance(0.15)

        case @random.rand(100)
        when 0...14 then array(depth)
        when 14...28 then hash(depth)
        when 28...40 then struct(depth)
        when 40...48 then tuple(depth)
        when 48...66 then variant(depth)
        when 66...76 then optional(depth)
        when 76...80 then wrapped('NotUndef', depth) { |it| it }
        when 80...84 then wrapped('Sensitive', depth) { |it| { '__ptype' => 'Sensitive', 'value' => it } }
        when 84...87 then type_type(depth)
        when 87...90 then iterable(depth)
        when 90...93 then init
        else named
        end
      end

      def scalar
        case @random.rand(17)
        when 0..3 then integer
        when 4 then float
        when 5, 6 then string
        when 7, 8, 9 then enum
        when 10 then pattern
        when 11 then boolean
        when 12 then time
        when 13 then pick([semver, uri, regexp, reference])
        when 14 then named
        else plain
        end
      end

      def plain
        name = pick(PLAIN)
        Made.new(name, -> { PLAIN_VALUES.key?(name) ? instance_exec(&PLAIN_VALUES[name]) : anything(2) })
      end

      PLAIN_VALUES = {
        'Integer' => -> { number }, 'Float' => -> { fraction }, 'String' => -> { pick(WORDS) }, 'Boolean' => -> { chance(0.5) },
        'Undef' => -> {}, 'Numeric' => -> { chance(0.5) ? number : fraction }, 'Array' => -> { list(2) }, 'Hash' => -> { object(2) },
        'Default' => -> { { '__ptype' => 'Default' } }, 'Sensitive' => -> { { '__ptype' => 'Sensitive', 'value' => anything(1) } }
      }.freeze

      def named
        name = pick(@aliases)
        Made.new(name, -> { chance(0.7) ? shaped : anything(3) })
      end

      # Values that resemble those of aliases.
      def shaped
        case @random.rand(8)
        when 0 then pick([80, 65_535, 65_536, -1])
        when 1 then pick(%w[running stopped web_1 Web 80])
        when 2 then [80, 443, *([pick([nil, 'x', 70_000])] * @random.rand(2))]
        when 3 then server
        when 4 then { pick(%w[web db Web]) => server, 'db2' => server }
        when 5 then [1, [2, pick([[3], 'x', []])]]
        when 6 then { 'value' => 1, 'next' => { 'value' => pick([2, 'x']), 'next' => pick([nil, { 'value' => 3 }]) } }
        else pick([nil, 'a', ['a', [1]], [1, ['a']], [['a']], { '__ptype' => 'Sensitive', 'value' => pick(['', 'x', 1]) }])
        end
      end

      def server
        server = { 'host' => pick(['web', 80, 'Web', nil]) }
        server['port'] = pick([80, '80', -1]) if chance(0.5)
        server['tags'] = pick([nil, ['a'], [''], []]) if chance(0.5)
        server['extra'] = 1 if chance(0.1)
        server
      end

      def bounds(low, high)
        from, to = [low + @random.rand(high - low), low + @random.rand(high - low)].minmax
        case @random.rand(4)
        when 0 then [from, from + 3, "#{from}"]
        when 1 then [to - 3, to, "default, #{to}"]
        when 2 then [from, to, "#{from}, default"]
        else [from, to, "#{from}, #{to}"]
        end
      end

      def sizes
        from, to, text = bounds(0, 4)
        from = 0 if text.start_with?('default')
        [[from, 0].max, to, text]
      end

      def integer
        return Made.new('Integer', -> { number }) if chance(0.3)

        from, to, text = bounds(-3, 12)
        Made.new("Integer[#{text}]", -> { chance(0.8) ? from + @random.rand(to - from + 1) : number })
      end

      def number = pick([0, 1, -1, 2, 5, 10, 80, 443, 65_536, 4_294_967_296, -20])

      def fraction = pick([0.0, 1.0, -1.5, 2.5, 1.0e10, 0.1, 1.0e-5, 3.0e100])

      def float
        from, to = [fraction, fraction].minmax
        Made.new("Float[#{pick(["#{from}, #{to}", "#{from}", "default, #{to}"])}]", -> { pick([from, to, (from + to) / 2, fraction]) })
      end

      def string
        from, to, text = sizes
        Made.new("String[#{text}]", -> { 'x' * (from + @random.rand([to - from + 1, 1].max)) })
      end

      def quoted(word) = "'#{word.gsub(/[\\']/) { |it| "\\#{it}" }}'"

      def enum
        words = Array.new(1 + @random.rand(3)) { pick(WORDS) }
        case_text = pick(['', '', '', ', true', ', false'])
        Made.new("Enum[#{words.map { |it| quoted(it) }.join(', ')}#{case_text}]", -> { case_text == ', true' ? pick(words).swapcase : pick(words) })
      end

      def pattern
        patterns = Array.new(1 + @random.rand(2)) { pick(PATTERNS) }
        text = patterns.map { |it| "/#{it.gsub('/', '\/')}/" }.join(', ')
        Made.new("Pattern[#{text}]", -> { pick(%w[a ab b abc 12 x/y run Running]) })
      end

      def regexp
        source = pick(PATTERNS)
        Made.new("Regexp[/#{source.gsub('/', '\/')}/]", -> { { '__ptype' => 'Regexp', 'value' => chance(0.7) ? source : pick(PATTERNS) } })
      end

      def boolean
        wanted = chance(0.5)
        Made.new("Boolean[#{wanted}]", -> { chance(0.8) ? wanted : !wanted })
      end

      def timespan = pick(%w[0 1 1.5 0-01:00:00.0 0-02:00:00.0 1-00:00:00 00:30 1:30:00])

      def timestamp = pick(['2024-01-01', '2024-01-01T12:00:00', '2023-06-01 00:00:00.5', '2024-01-01T00:00:00.000 UTC', '2025-12-31'])

      def time
        name, one = pick([['Timespan', -> { timespan }], ['Timestamp', -> { timestamp }]])
        from, to = [one.call, one.call]
        text = pick(["'#{from}', '#{to}'", "'#{from}'", "default, '#{to}'", "'#{from}', default"])
        Made.new("#{name}[#{text}]", -> { { '__ptype' => name, 'value' => one.call } })
      end

      def version = pick(%w[1.0.0 1.2.3 2.0.0 0.9.0 1.0.0-rc1 1.2.3+build 3.1.4])

      def semver
        ranges = Array.new(1 + @random.rand(2)) { pick(['>=1.0.0', '<2.0.0', '1.x', '~1.2.0', '^1.0.0', '>=1.0.0 <2.0.0', '2.0.0', '>=1.0.0-rc1']) }
        Made.new("SemVer[#{ranges.map { |it| quoted(it) }.join(', ')}]", -> { { '__ptype' => 'SemVer', 'value' => version } })
      end

      def address = pick(['http://example.com', 'https://example.com:8443/a?b=c#d', 'ftp://a.b', 'mailto:a@b', '/just/path', 'http://u@h/'])

      def uri
        text = pick(["'#{address}'", "{'scheme' => 'http'}", "{'host' => /example/}", "{scheme => Enum[http, https]}", "{'port' => '8443'}"])
        Made.new("URI[#{text}]", -> { { '__ptype' => 'URI', 'value' => address } })
      end

      def reference
        text = pick(['Class[a]', "Class['a::b']", "File['/tmp']", "Resource['foo::bar', 'x']", 'Resource[File]', "Runtime['ruby', 'Symbol']",
                     'Callable[String]', 'Callable[[Integer, 0, 2], String]', 'Callable[Integer, Callable[String]]', 'Callable[0, 0]',
                     'Iterator[Integer]', 'Object[{attributes => {a => String}}]'])
        Made.new(text, -> { anything(1) })
      end

      def init
        text = pick(['Integer', 'Float', 'String', 'Boolean', 'Numeric', 'Array', 'Hash', 'Timestamp', 'Timespan', 'SemVer', 'URI', 'Binary',
                     'Integer[0, 10]', 'Regexp', 'Sensitive', 'Fz::Port', 'Type', 'SemVerRange'])
        values = ['1', '0x1f', 'x', '1.5', 1, 1.5, true, 'yes', [1], ['1', 16], { 'from' => '1' }, '2024-01-01', '1.0.0', 'http://a', nil, '1 2']
        Made.new("Init[#{text}#{text == 'Integer' && chance(0.3) ? ', 16' : ''}]", -> { pick(values) })
      end

      def array(depth)
        item = type(depth - 1)
        from, to, text = sizes
        sized = chance(0.4)
        from, to = 0, 3 unless sized
        Made.new(sized ? "Array[#{item.text}, #{text}]" : "Array[#{item.text}]", -> { Array.new(from + @random.rand([to - from + 1, 1].max)) { item.value.call } })
      end

      def hash(depth)
        key = pick([string, enum, pattern, Made.new('String', -> { pick(WORDS) }), Made.new('Integer', -> { number }), type(0)])
        item = type(depth - 1)
        from, to, text = sizes
        sized = chance(0.3)
        from, to = 0, 3 unless sized
        parts = [key.text, item.text, *(sized ? [text] : [])].join(', ')
        Made.new("Hash[#{parts}]", -> { paired(Array.new(from + @random.rand([to - from + 1, 1].max)) { [key.value.call, item.value.call] }) })
      end

      # A hash; plain JSON if all keys are strings.
      def paired(pairs)
        pairs = pairs.uniq { |key, _| JSON.generate(key, max_nesting: 0) }
        return { '__ptype' => 'Hash', 'pairs' => pairs } unless pairs.all? { |key, _| key.is_a?(String) }

        pairs.to_h
      end

      def struct(depth)
        members = %w[a b c d].first(1 + @random.rand(4)).map do |name|
          key = pick([name, name, quoted(name), "Optional[#{name}]", "NotUndef['#{name}']"])
          [name, key, type(depth - 1)]
        end
        text = members.map { |_, key, item| "#{key} => #{item.text}" }.join(', ')
        value = lambda do
          given = members.reject { |_, key, _| key.start_with?('Optional') && chance(0.4) }
          given.to_h { |name, _, item| [name, item.value.call] }
        end
        # Puppet reads pairs without braces as a hash.
        Made.new(chance(0.3) ? "Struct[#{text}]" : "Struct[{#{text}}]", value)
      end

      def tuple(depth)
        items = Array.new(1 + @random.rand(3)) { type(depth - 1) }
        sized = chance(0.4)
        from, to, text = sizes
        from = to = items.size unless sized
        parts = [*items.map(&:text), *(sized ? [text] : [])].join(', ')
        Made.new("Tuple[#{parts}]", -> { Array.new(from + @random.rand([to - from + 1, 1].max)) { |index| (items[index] || items.last).value.call } })
      end

      def variant(depth)
        items = Array.new(1 + @random.rand(4)) { chance(0.5) ? scalar : type(depth - 1) }
        Made.new("Variant[#{items.map(&:text).join(', ')}]", -> { pick(items).value.call })
      end

      def optional(depth)
        if chance(0.1)
          word = pick(WORDS)
          return Made.new("Optional[#{quoted(word)}]", -> { chance(0.3) ? nil : word })
        end
        item = type(depth - 1)
        Made.new("Optional[#{item.text}]", -> { chance(0.2) ? nil : item.value.call })
      end

      def wrapped(name, depth)
        item = type(depth - 1)
        Made.new("#{name}[#{item.text}]", -> { yield item.value.call })
      end

      def type_type(depth)
        item = type(depth - 1)
        others = ['Integer', 'String[1]', 'Integer[1, 5]', 'Array[Integer]', "Enum['a']", "File['x']", 'Class[a]', item.text]
        Made.new("Type[#{item.text}]", -> { { '__ptype' => 'Type', 'value' => pick(others.grep_v(/\b[A-Z]\w*::/)) } })
      end

      def iterable(depth)
        item = type([depth - 2, 0].max)
        Made.new("Iterable[#{item.text}]", -> { pick([-> { Array.new(2) { item.value.call } }, -> { pick(WORDS) }, -> { number }, -> { object(1) }]).call })
      end

      # Types that Puppet refuses.
      def broken
        text = pick(['Nowhere', 'Nowhere::Known[1]', 'Array[Nope]', "Integer['a']", 'Integer[2, 1]', 'String[', 'Array[]', 'Hash[String]', 'Enum[1]',
                     'Optional[1]', 'Struct[1]', "Struct[{'' => Any}]", 'Boolean[1]', 'Scalar[1]', "Pattern['(']", 'Variant[1]', 'x', "'x'", '1',
                     'Integer]', 'Tuple[1]', 'Float[a]', 'Type[1]', 'Collection[a]', 'Integer [1, 2]', 'SemVer[a]', 'Timespan[x]', 'Class[1]'])
        Made.new(text, -> { anything(1) })
      end

      def anything(depth)
        case @random.rand(depth.positive? ? 14 : 9)
        when 0 then nil
        when 1 then chance(0.5)
        when 2, 3 then number
        when 4 then fraction
        when 5, 6, 7 then pick(WORDS)
        when 8 then special
        when 9, 10, 11 then list(depth)
        else object(depth)
        end
      end

      def special
        name, value = pick([['Default'], ['Sensitive', anything(0)], ['Timespan', timespan], ['Timestamp', timestamp], ['SemVer', version],
                            ['SemVerRange', '>=1.0.0'], ['URI', address], ['Regexp', pick(PATTERNS)], ['Type', pick(%w[Integer String[1] Data])],
                            ['Symbol', pick(%w[x undef])], ['Binary', 'YWJj'], ['Float', '-Infinity']])
        { '__ptype' => name, 'value' => value }.compact
      end

      def list(depth) = Array.new(@random.rand(4)) { anything(depth - 1) }

      def object(depth)
        keys = chance(0.85) ? %w[a b c host port] + WORDS : [1, 1.5, true, nil, 'a', '']
        paired(Array.new(@random.rand(4)) { [pick(keys), anything(depth - 1)] })
      end

      # The value with one change.
      def changed(value)
        case value
        when Array then changed_list(value)
        when Hash then value['__ptype'] ? pick([value, anything(1)]) : changed_object(value)
        else pick([anything(1), anything(0), nil, value.is_a?(Integer) ? value + 1 : "#{value}x"])
        end
      end

      def changed_list(list)
        return pick([[anything(1)], {}, nil]) if list.empty?

        at = @random.rand(list.size)
        case @random.rand(5)
        when 0 then list.first(at)
        when 1 then [*list, anything(1)]
        else list.each_with_index.map { |item, index| index == at ? changed(item) : item }
        end
      end

      def changed_object(object)
        return pick([{ 'a' => anything(1) }, [], nil]) if object.empty?

        at = pick(object.keys)
        case @random.rand(6)
        when 0 then object.except(at)
        when 1 then object.merge(pick(%w[a zz e]) => anything(1))
        when 2 then object.transform_keys { |key| key == at ? pick(['', 'Z', "#{key}x"]) : key }
        else object.to_h { |key, item| [key, key == at ? changed(item) : item] }
        end
      end
    end
  end
end
