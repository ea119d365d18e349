# frozen_string_literal: true

module Conformance
  module Fuzz
    # Writes one random environment with its queries, as a conformance case.
    class Environment
      include Vocabulary

      QUERIES = 30

      def initialize(seed)
        @chance = Chance.new(seed)
        @writer = Writer.new(@chance)
        @files = {}
        @keys = KEYS + @chance.some(ODD_KEYS, 2)
        @modules = MODULES.select { @chance.one_in(2) }
        @keys += @modules.flat_map { |name| %w[a b c x::y].map { |key| "#{name}::#{key}" } }
        @values = values
        @options_in = @chance.weighted(none: 2, few: 5, all: 1)
      end

      def to_case(name)
        layer('', :environment)
        layer('/global', :global) if @chance.one_in(3)
        @modules.each { |name_of| layer("/modules/#{name_of}", :module, name_of) }
        @files['/facts.json'] = "#{JSON.pretty_generate(facts)}\n"
        @files['/vars.json'] = "#{JSON.generate(VARIABLES)}\n"
        @files['/queries'] = @chance.times(QUERIES..QUERIES) { query }.map { |query| "#{JSON.generate(query)}\n" }.join
        Case.new(name: name, files: @files)
      end

      private

      def values
        Values.new(@chance, @keys, KNOWN)
      end

      def hierarchy_of(kind)
        Hierarchy.new(@chance, kind)
      end

      def facts
        FACTS.merge(@chance.one_in(6) ? { 'strategy' => @chance.of(%w[unique hash]), 'key_name' => 'c' } : {})
      end

      def layer(folder, kind, name = nil)
        hierarchy = hierarchy_of(kind)
        text = hierarchy.text
        @files["#{folder}/hiera.yaml"] = text unless kind != :environment && @chance.one_in(12)
        keys = name ? @keys.select { |key| key.start_with?("#{name}::") } : @keys
        hierarchy.files.each do |path, format|
          path = File.expand_path(path, '/')
          @files["#{folder}#{path}"] = format == :json ? json_file(keys, name) : yaml_file(keys, name)
        end
      end

      def yaml_file(keys, name)
        @values.begin_file
        return @chance.of(BROKEN_FILES) if @chance.one_in(150)

        entries = some_keys(keys, name).map { |key| yaml_entry(key) }
        entries << @writer.yaml_entry('lookup_options', options(name)) if options?
        entries << "#{@chance.of(KEYS)}: #{@chance.of(FATAL_SCALARS)}\n" if @chance.one_in(250)
        entries = @chance.some(entries, entries.size) if @chance.one_in(4) && entries.none? { |entry| entry.match?(/[&*]/) }
        (@chance.one_in(8) ? "---\n" : '') + entries.join
      end

      def yaml_entry(key)
        return @chance.of(SNIPPETS).gsub('KEY', key) if key.match?(/\A[a-h]\z/) && @chance.one_in(25)

        @writer.yaml_entry(key, @values.for_key(key))
      end

      def json_file(keys, name)
        @values.begin_file
        return @chance.of(BROKEN_JSON) if @chance.one_in(60)

        entries = some_keys(keys, name).map { |key| @writer.json_entry(key, @values.for_key(key)) }
        entries << @writer.json_entry('lookup_options', options(name)) if options?
        "{#{entries.map { |entry| "\n#{entry}" }.join(',')}\n}\n"
      end

      def some_keys(keys, name)
        chosen = @chance.some(keys, @chance.number(1..keys.size))
        chosen << @chance.of(KEYS) if name && @chance.one_in(15)
        chosen << @chance.of(chosen) if @chance.one_in(20)
        chosen << '1' if @chance.one_in(40)
        chosen
      end

      def options?
        case @options_in
        when :none then false
        when :few then @chance.one_in(4)
        else true
        end
      end

      def options(name)
        return @chance.of([nil, 5, 'text', []]) if @chance.one_in(120)

        list = @chance.times(1..4) { [option_key(name), option] }
        list << [Raw.new('5'), Pairs.new([])] if @chance.one_in(150)
        Pairs.new(list)
      end

      def option_key(name)
        return @chance.of(BAD_PATTERNS) if @chance.one_in(120)

        keys = name ? @keys.select { |key| key.start_with?("#{name}::") } : @keys
        keys = @keys if @chance.one_in(40)
        return @chance.of(keys) unless @chance.one_in(3)

        patterns = name ? ["^#{name}::", "^#{name}::(a|b)$", "^#{name}::[a-c]", "^#{name}::x"] : PATTERNS
        @chance.one_in(30) ? @chance.of(PATTERNS) : @chance.of(patterns)
      end

      def option
        case @chance.weighted(merge: 12, convert: 3, both: 1, none: 1, odd: 1)
        when :merge then { 'merge' => merge }
        when :convert then { 'convert_to' => conversion }
        when :both then { 'merge' => merge, 'convert_to' => conversion }
        when :none then @chance.of([{}, nil, { 'zork' => 1 }, { 'merge' => nil }])
        else @chance.of(['deep', 'merge it', 5, [], { 'merge' => '%{strategy}' }, { 'merge' => false },
                         { 'merge' => "%{lookup('a')}" }, { 'merge' => true }, { 'merge' => [] }, { 'convert_to' => nil },
                         { 'merge' => { 'strategy' => '%{strategy}' } }, { 'zork' => "%{nope}" }, true])
        end
      end

      def conversion
        @chance.one_in(4) ? @chance.of(BAD_CONVERSIONS) : @chance.of(CONVERSIONS)
      end

      def merge
        return @chance.of(BAD_MERGES) if @chance.one_in(25)

        case @chance.weighted(plain: 10, deep: 6, odd: 3)
        when :plain then @chance.of(STRATEGIES)
        when :deep then deep
        else @chance.of(ODD_MERGES)
        end
      end

      def deep
        merge = { 'strategy' => 'deep' }
        merge['knockout_prefix'] = @chance.of(PREFIXES) if @chance.one_in(2)
        merge['sort_merged_arrays'] = @chance.one_in(2) if @chance.one_in(3)
        merge['merge_hash_arrays'] = @chance.one_in(2) if @chance.one_in(3)
        merge
      end

      def query
        query = { 'key' => query_key }
        query['merge'] = merge if @chance.one_in(3)
        query['default'] = @chance.of(['default', nil, 5, [1], { 'x' => '%{text}' }]) if @chance.one_in(10)
        query['type'] = @chance.of(TYPES) if @chance.one_in(8)
        query['explain'] = true if @chance.one_in(12)
        query
      end

      def query_key
        return @chance.of(['nope', 'zz::a', '::a', 'lookup_options', 'lookup_options.a', "'lookup_options'", 'm1::nope', ' a',
                           'm2::a', 'm1::', 'm1::::a', 'A', '1.2', "'a'", '"b".x', "'a.b'", 'a ', ' a . x']) if @chance.one_in(20)

        key = @chance.of(@keys)
        @chance.one_in(3) ? ([key] + @chance.times(1..2) { @chance.of(SEGMENTS) }).join('.') : key
      end
    end
  end
end
