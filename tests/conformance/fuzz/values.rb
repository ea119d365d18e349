# frozen_string_literal: true

module Conformance
  module Fuzz
    # A hash with its keys as a file spells them; an anchored value; a reference to one; text for YAML only.
    Pairs = Struct.new(:list)
    Anchored = Struct.new(:name, :value)
    Reference = Struct.new(:name)
    Raw = Struct.new(:yaml)

    # Random values, and the interpolation tokens in their texts.
    class Values
      include Vocabulary

      # `kinds` has the usual kind of value for each key, so that merges find values that they can merge.
      def initialize(chance, keys, variables)
        @chance = chance
        @keys = keys
        @kinds = keys.to_h { |key| [key, @chance.weighted(hash: 4, list: 3, text: 3, any: 2)] }
        @variables = variables
        @anchors = []
      end

      # Anchors are valid in one file.
      def begin_file
        @anchors = []
      end

      def for_key(key)
        kind = @kinds[key] || :any
        kind = :any if @chance.one_in(8)
        anchored { of_kind(kind, 3) }
      end

      def token
        inner = @chance.weighted(known: 20, odd: 5, unknown: 1, call: 16, malformed: 1)
        "%{#{blanks}#{expression(inner)}#{blanks}}"
      end

      def text
        case @chance.weighted(word: 10, token: 4, mixed: 3, alias: 2, odd: 2, prefixed: 3)
        when :word then @chance.of(%w[x y z a b one two])
        when :token then token
        when :mixed then "#{@chance.of(%w[a x-])}#{token}#{@chance.of(['', 'b', ' ', token])}"
        when :alias then "%{alias('#{call_key}')}"
        when :prefixed then "#{@chance.of(%w[-- -- -- - x ! +])}#{@chance.of(['x', 'y', 'a', '', 'one', '%{text}'])}"
        else @chance.of(['%{', '%{text', '%', '%%{number}', '%{%{text}}', "a\nb", '', ' x ', "l1\n--x", 'it\'s "q"',
                         '%{}', '\\', 'ü%{umlaut}', "%{ text\n}", '#{x}', '%{::}', '$x', "a\tb", '%{text}}', 'a: b # c'])
        end
      end

      private

      def expression(kind)
        case kind
        when :known then @chance.of(@variables)
        when :odd then @chance.of(ODD_VARIABLES)
        when :unknown then @chance.of(UNKNOWN)
        when :malformed then @chance.of(MALFORMED)
        else call
        end
      end

      def call
        quote = @chance.of(["'", "'", '"'])
        case @chance.weighted(lookup: 6, hiera: 2, alias: 1, scope: 2, literal: 2)
        when :lookup then "lookup(#{quote}#{call_key}#{quote})"
        when :hiera then "hiera(#{quote}#{call_key}#{quote})"
        when :alias then "alias(#{quote}#{call_key}#{quote})"
        when :scope then "scope(#{quote}#{@chance.of(@variables)}#{quote})"
        else "literal(#{quote}#{@chance.of(LITERALS)}#{quote})"
        end
      end

      def call_key
        key = @chance.of(@keys)
        @chance.one_in(4) ? "#{key}.#{@chance.of(SEGMENTS)}" : key
      end

      def blanks
        @chance.one_in(25) ? @chance.of([' ', '  ', "\t"]) : ''
      end

      def of_kind(kind, depth)
        case kind
        when :hash then depth.zero? ? text : pairs(depth)
        when :list then depth.zero? ? text : list(depth)
        when :text then scalar
        else of_kind(@chance.of(%i[hash list text text text]), depth)
        end
      end

      def pairs(depth)
        Pairs.new(@chance.times(0..4) { member(depth) })
      end

      def member(depth)
        return ['<<', merge_source] if !@anchors.empty? && @chance.one_in(30)

        [member_key, anchored { of_kind(:any, depth - 1) }]
      end

      def merge_source
        return @chance.some(@anchors, 2).map { |name| Reference.new(name) } if @chance.one_in(3)

        Reference.new(@chance.of(@anchors))
      end

      def member_key
        return @chance.of(MEMBERS) unless @chance.one_in(14)

        @chance.of([token, Raw.new(@chance.of(SCALARS)), '--x', 'a.b', '', Raw.new('1'), Raw.new("'1'"), '0'])
      end

      def list(depth)
        flat = @chance.one_in(2)
        @chance.times(0..4) { flat ? scalar : anchored { of_kind(:any, depth - 1) } }
      end

      def scalar
        case @chance.weighted(text: 24, number: 10, flag: 4, null: 4, spelled: 8, odd: 1)
        when :text then text
        when :number then @chance.of([1, 2, 3, 42, 0, -1, 1.0, 2.5, 1e20])
        when :flag then @chance.one_in(2)
        when :null then nil
        when :spelled then Raw.new(@chance.of(SCALARS))
        else Raw.new(@chance.of(ODD_SCALARS))
        end
      end

      def anchored
        return Reference.new(@chance.of(@anchors)) if !@anchors.empty? && @chance.one_in(25)
        return yield unless @chance.one_in(20)

        value = yield
        name = "n#{@anchors.size + (@chance.one_in(40) ? 0 : 1)}"
        @anchors |= [name]
        Anchored.new(name, value)
      end
    end
  end
end
