# frozen_string_literal: true

module Conformance
  module Fuzz
    # Differences that docs/puppet-differences.md describes: they are rare in real data, but random environments contain them.
    module KnownDifference
      module_function

      # Whether the two answers differ in one of these ways.
      def any?(theirs, ours)
        holds_itself?(theirs, ours) || told_after_merge?(theirs, ours) || other_codedir?(theirs, ours)
      end

      # A hash that contains itself is only an error if Puppet reads all of it.
      def holds_itself?(theirs, ours)
        ours['error_class'] == 'SystemStackError' && theirs['status'] != 'error'
      end

      # A deep merge drops repeated items of a list in place, before Puppet explains what it found: only lines are missing.
      def told_after_merge?(theirs, ours)
        return false unless theirs['explain'] && ours['explain'] && theirs['value'] == ours['value']

        left = lines_of(ours)
        lines_of(theirs).all? { |line| left.shift(left.index(line)&.succ || left.size + 1).last == line }
      end

      # Without a valid global hiera.yaml, version 3's default names directories below Puppet's codedir, which hiera-ls does not know.
      def other_codedir?(theirs, ours)
        return false unless theirs['explain'] && ours['explain'] && theirs['value'] == ours['value']

        theirs['explain'].include?('(hiera configuration version 3)') && without_paths(theirs) == without_paths(ours)
      end

      def without_paths(answer)
        lines_of(answer).map { |line| line.sub(/^Path ".*"$/, 'Path') }
      end

      def lines_of(answer)
        answer['explain'].lines.map { |line| line.strip.delete_suffix(',') }
      end
    end
  end
end
