# frozen_string_literal: true

module Conformance
  module Fuzz
    # Differences that docs/puppet-differences.md tells of: too rare in real data to be worth more than a sentence, but random
    # environments meet them.
    module KnownDifference
      NAN = { '__ptype' => 'Float', 'value' => 'NaN' }.freeze

      module_function

      # Whether the two answers differ in such a way.
      def any?(theirs, ours)
        holds_itself?(theirs, ours) || lost_nan?(theirs, ours)
      end

      # A hash that contains itself is only an error where Puppet looks at all of it.
      def holds_itself?(theirs, ours)
        ours['error_class'] == 'SystemStackError' && theirs['status'] != 'error'
      end

      # Deep merges with a knockout prefix lose items that are not equal to themselves.
      def lost_nan?(theirs, ours)
        [theirs, ours].all? { |answer| answer['status'] == 'found' } && theirs['value'] != ours['value'] && theirs['value'] == without_nan(ours['value'])
      end

      def without_nan(value)
        case value
        when Array then (value - [NAN]).map { |item| without_nan(item) }
        when Hash then value.transform_values { |member| without_nan(member) }
        else value
        end
      end
    end
  end
end
