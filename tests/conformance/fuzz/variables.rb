# frozen_string_literal: true

module Conformance
  module Fuzz
    # The variables that an environment reads, each with one name for all its spellings.
    module Variables
      # Facter's old names and the new ones with the same values, from the table of the program under test.
      LEGACY = File.read(File.join(__dir__, '../../../src/facts/legacy.rs')).scan(/^    \("(\w+)", "([\w.]+)"\),$/).to_h
                   .except('blockdevices', 'interfaces', 'xendomains', 'zones').freeze
      SEGMENT = /\s*(?:'[^']*'|"[^"]*"|[^.'"]+)\s*/
      TOKEN = /%\{\s*(?:scope\(\s*['"](?<scope>[^}]+?)['"]\s*\)|(?<plain>[^}]+?))\s*\}/
      MAPPED = /mapped_paths"?:\s*(?:\[|-)\s*["']?([^,"'\s\]]+)/
      # Puppet sets these itself.
      NO_FACTS = %w[facts trusted server_facts environment name title module_name caller_module_name calling_class
                    calling_module serverversion servername serverip].freeze

      module_function

      # All that texts of files read.
      def of(texts)
        names = texts.flat_map { |text| text.scan(TOKEN).map { |scope, plain| name_of(scope || plain) } }
        names += texts.flat_map { |text| text.scan(MAPPED).map { |name,| name_of(name) } }
        names.compact.uniq.select { |name| fact_or_trusted?(name) }
      end

      # Those that lookup_options read.
      def of_options(texts)
        of(texts.flat_map { |text| text.scan(/^['"]?lookup_options.*?(?=\n\S|\z)/m) })
      end

      # `role` for `::role` and `facts.role`; `facts.os.family` for `osfamily`; nothing if the text is not a name.
      def name_of(text)
        segments = segments(text) or return
        root, *rest = segments
        return unless root.is_a?(String)

        root = root.delete_prefix('::')
        return rest == ['environment'] ? 'environment' : joined([root, *rest]) if %w[trusted server_facts].include?(root)

        root, *rest = rest if root == 'facts' && !rest.empty?
        names = rest.empty? && LEGACY.key?(root) ? LEGACY[root].split('.') : [root, *rest]
        names.size > 1 && !names.first.to_s.include?('::') ? joined(['facts', *names]) : joined(names)
      end

      # A name's parts without quotes, indexes as numbers; `nil` if it is not a name.
      def segments(name)
        return unless name.match?(/\A#{SEGMENT}(?:\.#{SEGMENT})*\z/o)
        # Spaces around a whole name are part of it.
        return [name] if name.match?(/\A\s|\s\z/) && !name.match?(/['".]/)

        name.scan(SEGMENT).map do |part|
          part = part.strip
          next part[1..-2] if part.start_with?("'", '"')

          part.match?(/\A[+-]?\d+\z/) ? part.to_i : part
        end
      end

      # The place of the variable in `{facts, trusted, server_facts}`.
      def place(name)
        root, *rest = segments(name)
        return [root, *rest] if %w[trusted server_facts facts].include?(root)

        ['facts', root, *rest]
      end

      def joined(segments)
        segments.map { |part| part.is_a?(Integer) || part.match?(/\A[a-zA-Z_][\w:-]*\z/) ? part : "'#{part}'" }.join('.')
      end

      def fact_or_trusted?(name)
        root, member = place(name)
        return !member.nil? if root == 'trusted'

        root == 'facts' && member.is_a?(String) && !member.include?('::') && !NO_FACTS.include?(member) && member.match?(/[^\d\s]/)
      end
    end
  end
end
