# frozen_string_literal: true

require_relative 'judge'

module Conformance
  module Manifests
    # Whether Puppet and hiera-ls refuse a manifest for the same reason.
    module Verdict
      # Where hiera-ls intends to say something else than Puppet: it names the start of a string that does not end, and the whole tag
      # of a heredoc.
      INTENDED = ['Unclosed quote', 'Unclosed multiline comment', /\AInvalid syntax in heredoc/, /\AHeredoc with/,
                  /\AInvalid heredoc escape/, /\AAn escape char for/].freeze
      # If a bracket is missing, hiera-ls goes on at the next declaration, which it names, and Puppet names a later place.
      NEXT_DECLARATION = /\ASyntax error at '(class|define|node|function|plan)'\z/

      # A text, or nil if they agree. `error` is the record of hiera-ls.
      def self.difference(text, theirs, error)
        unless theirs.is_a?(Judge::Refused)
          return error && "refused: #{error['message']}, line #{error['line']}"
        end
        return if theirs.by_ruby
        return "accepted, and Puppet says: #{theirs.problems}" unless error
        return if intended?(text, error) || intended_message?(theirs.problems.first.first)

        line, column = place(text, error['offset'])
        columns = theirs.records && [column, *margin(text, error['offset'])]
        return if theirs.problems.any? { |problem| same?(problem, error['message'], line, columns) }

        "Puppet:   #{theirs.problems}\nhiera-ls: #{[error['message'], line, column]}"
      end

      # An unexpected end has no place in Puppet's message, and other errors of its parser sometimes have none.
      def self.same?(problem, message, line, columns)
        their_message, their_line, their_column = problem
        their_message == message && (columns.nil? || (line == their_line && columns.include?(their_column)))
      end

      # Puppet's validator names the margin before the first character of a heredoc's text, and hiera-ls that character.
      def self.margin(text, offset)
        start = (text.byteslice(0, offset).rindex("\n") || -1) + 1
        text.byteslice(start...offset).match?(/\A[ \t]+\z/n) ? [1] : []
      end

      def self.intended?(text, error)
        intended_message?(error['message']) ||
          (NEXT_DECLARATION.match?(error['message']) && place(text, error['offset']).last == 1)
      end

      def self.intended_message?(text)
        INTENDED.any? { |message| message === text }
      end

      # Puppet counts characters.
      def self.place(text, offset)
        before = text.byteslice(0, offset)
        start = (before.rindex("\n") || -1) + 1
        [before.count("\n") + 1, before.byteslice(start..).force_encoding('UTF-8').size + 1]
      end
    end
  end
end
