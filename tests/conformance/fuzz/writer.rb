# frozen_string_literal: true

module Conformance
  module Fuzz
    # Spells random values as YAML, in flow and block style, or as JSON.
    class Writer
      PLAIN = /\A[a-z](?:[a-z0-9 _-]*[a-z0-9])?\z/

      def initialize(chance)
        @chance = chance
      end

      # `key: value` with its line end.
      def yaml_entry(key, value)
        return "#{scalar(key)}: #{flow(value)}\n" unless @chance.one_in(4)

        "#{scalar(key)}:#{block(value, 0)}"
      end

      def json_entry(key, value)
        "#{JSON.generate(key)}: #{json(value)}"
      end

      def flow(value)
        case value
        when Pairs then "{#{value.list.map { |key, item| "#{flow_key(key)}: #{flow(item)}" }.join(', ')}}"
        when Hash then flow(Pairs.new(value.to_a))
        when Array then "[#{value.map { |item| flow(item) }.join(', ')}]"
        when Anchored then "&#{value.name} #{flow(value.value)}"
        else flow_scalar(value)
        end
      end

      def json(value)
        case value
        when Pairs then "{#{value.list.map { |key, item| "#{JSON.generate(json_key(key))}: #{json(item)}" }.join(', ')}}"
        when Array then "[#{value.map { |item| json(item) }.join(', ')}]"
        when Anchored then json(value.value)
        when Reference then 'null'
        when Raw then JSON.generate(value.yaml)
        else JSON.generate(value)
        end
      end

      private

      def json_key(key)
        key.is_a?(Raw) ? key.yaml : key
      end

      def flow_key(key)
        key == '<<' ? key : flow_scalar(key)
      end

      # Inside brackets, some plain strings have another meaning.
      def flow_scalar(value)
        return "#{value.yaml} " if value.is_a?(Raw) && !value.yaml.match?(/[,\[\]{}]|\A-\z|\A:|: ?:/)
        return scalar(value) unless value.is_a?(Raw)

        value.yaml.match?(/\A[\[{!'"][^:]*\z/) ? value.yaml : JSON.generate(value.yaml)
      end

      def scalar(value)
        case value
        when Raw then value.yaml
        when Reference then "*#{value.name} "
        when nil then @chance.of(['~', 'null', '~'])
        when String then text(value)
        else value.to_s
        end
      end

      def text(value)
        return value if value.match?(PLAIN) && !@chance.one_in(10)
        return "'#{value.gsub("'", "''")}'" unless value.match?(/[[:cntrl:]]/) || @chance.one_in(3)

        JSON.generate(value)
      end

      def block(value, indent)
        case value
        when Pairs then value.list.empty? ? " {}\n" : "\n#{block_pairs(value, indent + 2)}"
        when Array then value.empty? ? " []\n" : "\n#{block_list(value, indent + @chance.of([0, 2]))}"
        when Anchored then " &#{value.name}#{block(value.value, indent)}"
        else block_scalar(value, indent)
        end
      end

      def block_scalar(value, indent)
        return " #{flow(value)}\n" unless value.is_a?(String) && value.match?(/\A[^\s[:cntrl:]][^[:cntrl:]]*[^\s[:cntrl:]]\z/)

        @chance.one_in(4) ? " #{@chance.of(%w[| > |- >- |+])}\n#{' ' * (indent + 2)}#{value}\n" : " #{flow(value)}\n"
      end

      def block_pairs(value, indent)
        value.list.map { |key, item| "#{' ' * indent}#{flow_key(key)}:#{block(item, indent)}" }.join
      end

      def block_list(value, indent)
        value.map { |item| "#{' ' * indent}- #{flow(item)}\n" }.join
      end
    end
  end
end
