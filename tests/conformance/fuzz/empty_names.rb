# frozen_string_literal: true

require 'yaml'

module Conformance
  module Fuzz
    # The nodes that docs/nodes.md leaves out of all cases: an empty variable is a whole name of a path, and the path leads to a file to
    # which another path of the same hiera.yaml leads by values of its variables.
    class EmptyNames
      # `texts`: those of all files of an environment.
      def initialize(texts)
        @hierarchies = texts.map { |text| paths_in(load(text)) }.reject(&:empty?)
      end

      def leave_out?(node)
        @hierarchies.any? { |paths| paths.any? { |path| beside_another?(path, paths, node) } }
      end

      private

      def load(text)
        loaded = text.include?('hierarchy') && YAML.safe_load(text)
        loaded.is_a?(Hash) ? loaded.values_at('hierarchy', 'default_hierarchy') : nil
      rescue Psych::Exception
        nil
      end

      def paths_in(value)
        case value
        when String then value.include?('%{') ? [value] : []
        when Array then value.flat_map { |it| paths_in(it) }
        when Hash then value.values.flat_map { |it| paths_in(it) }
        else []
        end
      end

      def beside_another?(path, paths, node)
        whole = "/#{filled(path) { |name| node.value_of(name).to_s }}"
        plain = whole.squeeze('/')
        whole != plain && paths.any? { |other| other != path && pattern(other).match?(plain) }
      end

      def filled(path)
        path.gsub('%{}', '').gsub(Variables::TOKEN) do
          name = Variables.name_of(Regexp.last_match[:scope] || Regexp.last_match[:plain])
          name ? yield(name) : ''
        end
      end

      def pattern(path)
        parts = "/#{filled(path) { "\0" }}".split("\0", -1)
        /\A#{parts.map { |part| Regexp.escape(part) }.join('[^/]+')}\z/
      end
    end
  end
end
