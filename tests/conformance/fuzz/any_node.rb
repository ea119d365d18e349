# frozen_string_literal: true

module Conformance
  module Fuzz
    # One of the many nodes that an answer with cases describes: values for the variables that an environment reads.
    class AnyNode
      attr_reader :facts, :trusted

      # `texts`: a text, a list or nothing for each variable. A variable with members is not a text itself.
      # `has_holders`: whether the hash of a missing member is set nevertheless.
      def self.of(texts, has_holders:)
        node = { 'facts' => {}, 'trusted' => {} }
        places = texts.transform_keys { |name| Variables.place(name) }
        places.each do |place, text|
          is_holder = places.any? { |other, _| other.size > place.size && other.first(place.size) == place }
          next if is_holder || (text.nil? && !has_holders) || in_list_and_hash?(place, places.keys)

          holder = place[..-2].reduce(node) { |hash, part| hash[part] ||= {} }
          holder[place.last] = text unless text.nil?
        end
        node = with_lists(node)
        new(node['facts'], trusted(node['trusted']))
      end

      # Whether an index of the place is one into a value that has a member with a name elsewhere: `map.1` beside `map.'1'`. Puppet
      # refuses to look for the member in a list.
      def self.in_list_and_hash?(place, places)
        place.each_index.any? do |at|
          place[at].is_a?(Integer) && places.any? { |other| other[at].is_a?(String) && other.first(at) == place.first(at) }
        end
      end

      # Hashes whose keys are all indexes become lists; others have no value at an index.
      def self.with_lists(value)
        return value unless value.is_a?(Hash)

        members = value.transform_values { |it| with_lists(it) }
        indexes, names = members.keys.partition { |key| key.is_a?(Integer) }
        return members.slice(*names) if indexes.empty? || !names.empty? || indexes.max.negative?

        Array.new([indexes.max, 9].min + 1) { |index| members.fetch(index, '') }
      end

      # Every node has a name, so an empty one does not count.
      def self.trusted(members)
        members = members.except('certname') if members['certname'] == ''
        name = members['certname'] || PuppetLookup::NODE
        hostname, domain = name.split('.', 2)
        { 'authenticated' => 'remote', 'certname' => name, 'extensions' => {}, 'hostname' => hostname, 'domain' => domain,
          'external' => {} }.merge(members)
      end

      # The node of a case: its facts without the old names of others.
      def self.of_case(one)
        new(one.facts.except(*Variables::LEGACY.keys), one.json('/trusted.json', {}))
      end

      def initialize(facts, trusted)
        @facts = facts
        @trusted = trusted
      end

      # The same with the node's facts, those under their old names, too.
      def added_to(one)
        files = { '/facts.json' => all_facts, '/trusted.json' => @trusted, '/vars.json' => {} }
        Case.new(name: one.name, files: one.files.merge(files.transform_values { |it| "#{JSON.pretty_generate(it)}\n" }))
      end

      # The value of a variable; `nil` if it is not set.
      def value_of(name)
        return PuppetLookup::ENVIRONMENT if name == 'environment'
        return all_facts if name == 'facts'

        node = { 'facts' => @facts, 'trusted' => @trusted, 'server_facts' => server_facts }
        place = Variables.place(name)
        return server_facts[place.last] if place.size == 2 && !@facts.key?(place.last) && server_facts.key?(place.last)

        place.reduce(node) { |value, part| member(value, part) }
      end

      # Whether all conditions of a case hold: values are compared as texts, `null` is not set, `""` is empty or not set.
      def fulfils?(conditions)
        conditions.all? do |name, wanted|
          value = value_of(name)
          wanted.nil? ? value.nil? : value.to_s == wanted
        end
      end

      # A value whose open variables are replaced. If a list became a text, inserted quotes get backslashes, so there are two ways to
      # replace them.
      def fillings(value, open)
        open = open.map { |name| Variables.joined(Variables.segments(name) || [name]) }
        [false, true].map do |escaped|
          @escaped = escaped
          fill_all(value, open)
        end
      end

      private

      def fill_all(value, open)
        case value
        when String then fill_text(value, open)
        when Array then value.map { |item| fill_all(item, open) }
        when Hash then value.to_h { |key, item| [fill_all(key, open), fill_all(item, open)] }
        else value
        end
      end

      # Text like `%{literal('%{')}` leaves the start of a token before another one: tokens without an open variable are skipped.
      def fill_text(text, open)
        filled = +''
        rest = text
        while (start = rest.index('%{'))
          filled << rest[0, start]
          rest = rest[start..]
          match = Variables::TOKEN.match(unquoted(rest))
          token = rest[/\A[^}]*\}/]
          name = match&.begin(0)&.zero? && token ? name_in(token) : nil
          known = open.include?(name)
          filled << (known ? text_of(name) : rest[0])
          rest = rest[(known ? token.size : 1)..]
        end
        filled << rest
      end

      def text_of(name)
        text = value_of(name).to_s
        @escaped ? text.inspect[1..-2] : text
      end

      # In a list that became a text, quotes have backslashes.
      def unquoted(text)
        text.gsub(/\\(["'])/, '\1')
      end

      def all_facts
        old = Variables::LEGACY.transform_values { |name| value_of("facts.#{name}") }
        @facts.merge(old.compact)
      end

      def member(value, part)
        case value
        when Hash then value[part]
        when Array then part.is_a?(Integer) && !part.negative? ? value[part] : nil
        end
      end

      def name_in(token)
        # In a list that became a text, the items are written as Ruby writes them.
        match = Variables::TOKEN.match(unquoted(token).gsub(/\\[tn]/, ' '))
        match && Variables.name_of(match[:scope] || match[:plain])
      end

      def server_facts
        { 'serverversion' => Puppet.version, 'servername' => PuppetLookup::NODE, 'environment' => PuppetLookup::ENVIRONMENT }
      end
    end

    # Possible values of the variables of an environment: values in cases, parts of file names, others.
    class Texts
      # `seen`: texts by variable's name. `paths`: of the environment's files.
      def initialize(chance, variables, seen, paths, has_holders:)
        @chance = chance
        @variables = variables
        @seen = seen
        @has_holders = has_holders
        @pieces = paths.flat_map { |path| path.split('/') }.uniq.flat_map { |name| pieces(name.sub(/\.(yaml|json|eyaml)\z/, '')) }
        @pieces = @pieces.uniq.reject(&:empty?) + ['fresh']
      end

      def random
        node(@variables.to_h { |name| [name, text(name)] })
      end

      # A node for which `conditions` hold; the other variables mostly have unusual values.
      def node_with(conditions, attempt)
        others = @variables.to_h do |name|
          [name, attempt.zero? ? fresh : (attempt == 1 ? nil : @chance.one_in(2) ? text(name) : fresh)]
        end
        wanted = conditions.transform_values { |value| value == '' && @chance.one_in(3) ? nil : value }
        node(others.merge(wanted))
      end

      private

      def node(texts)
        has_holders = @has_holders || @chance.one_in(2)
        AnyNode.of(texts.reject { |name, _| name == 'environment' }, has_holders: has_holders)
      end

      def text(name)
        case @chance.weighted(seen: 10, piece: 5, fresh: 2, empty: 2, unset: 2)
        when :seen then @chance.of(@seen.fetch(name, ['']))
        when :piece then @chance.of(@pieces)
        when :fresh then fresh
        when :empty then ''
        end
      end

      def fresh
        "fresh#{@chance.number(0..9)}"
      end

      # The whole name, and the parts before and after each punctuation character.
      def pieces(name)
        return [] if name.match?(/[%{}*?\[\]]/)

        cuts = (0...name.size).select { |at| '-._'.include?(name[at]) }
        [name, *cuts.flat_map { |at| [name[0...at], name[at + 1..]] }]
      end
    end
  end
end
