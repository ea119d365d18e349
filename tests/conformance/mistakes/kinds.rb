# frozen_string_literal: true

require_relative 'environments'

module Conformance
  module Mistakes
    # A kind of mistake: where it can be made in an environment.
    class Kind
      attr_reader :name

      def initialize(name, &edits)
        @name = name
        @edits = edits
      end

      # All ways to make the mistake there.
      def edits(environment)
        Enumerator.new { |found| @edits.call(environment, found) }
      end
    end

    # A line that replaces two.
    Joined = Struct.new(:text)

    # The language of the definitions below.
    module Kinds
      module_function

      # Changes one line: the block gets the match and returns the new line without its end, or several lines, or nil. A finding may
      # also be in one of `others`, if the mistake can be seen there.
      def line(name, pattern, files: :data_files, only: /./, others: nil, &change)
        KINDS << Kind.new(name) do |environment, found|
          environment.send(files).grep(only).each do |path|
            lines = environment.read(path).lines(chomp: true)
            lines.each_with_index do |text, at|
              next if text.strip.start_with?('#') || path.end_with?('.json') && files == :data_files && !only.match?('x.json')

              match = pattern.match(text) or next
              changed = change.call(match, lines, at) or next
              taken, changed = changed.is_a?(Joined) ? [2, [changed.text]] : [1, Array(changed)]
              new = lines[0...at] + changed + lines[(at + taken)..]
              next if new == lines

              found << Edit.new(files: { path => "#{new.join("\n")}\n" }, path: path, line: at + 1,
                                others: others && environment.send(others))
            end
          end
        end
      end

      # One line of YAML, with the match replaced.
      def swap(name, pattern, **options, &replacement)
        line(name, pattern, **options) do |match, *|
          new = replacement.call(match)
          new && "#{match.pre_match}#{new}#{match.post_match}"
        end
      end

      # Adds an entry at the end of a file.
      def append(name, text, **options)
        KINDS << Kind.new(name) do |environment, found|
          environment.data_files.grep(/\.ya?ml\z/).each do |path|
            before = environment.read(path)
            entry = text.respond_to?(:call) ? text.call(environment, path, before) : text
            next unless entry

            found << Edit.new(files: { path => "#{before.chomp}\n#{entry}" }, path: path, line: before.lines.size + 1, **options)
          end
        end
      end

      # Changes a whole file.
      def file(name, files: :data_files, only: /\.ya?ml\z/, &change)
        KINDS << Kind.new(name) do |environment, found|
          environment.send(files).grep(only).each do |path|
            changed = change.call(environment.read(path), path, environment) or next
            text, line = changed
            found << Edit.new(files: { path => text }, path: path, line: line || 1)
          end
        end
      end

      # Renames files: the block returns the new path. A finding may be there, or in the hiera.yaml that reads it.
      def renamed(name, &change)
        KINDS << Kind.new(name) do |environment, found|
          environment.data_files.each do |path|
            to = change.call(path, environment) or next
            found << Edit.new(files: { path => nil, to => environment.read(path) }, path: to, line: 1, others: environment.configs)
          end
        end
      end
    end

    # In the order of the report.
    KINDS = [] # rubocop:disable Style/MutableConstant -- filled by the files below
  end
end

%w[yaml interpolation options keys values hiera_yaml].each { |part| require_relative "kinds/#{part}" }
