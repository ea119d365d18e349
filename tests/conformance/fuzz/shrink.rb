# frozen_string_literal: true

module Conformance
  module Fuzz
    # Reduces a case with one query as long as both sides still differ in the same way.
    class Shrink
      BUDGET = 600
      JSON_FILES = %w[/queries /facts.json /vars.json].freeze

      # The block returns whether the answers of a case differ in the same way as `kind`.
      def initialize(one, kind, &differs)
        @best = one
        @kind = kind
        @differs = differs
        @left = BUDGET
      end

      def run
        loop do
          before = size
          drop_files
          drop_members('/facts.json')
          drop_members('/vars.json')
          drop_query_fields
          drop_lines
          drop_parts
          break if size >= before || @left <= 0
        end
        @best
      end

      private

      def size
        @best.files.sum { |path, body| path.size + body.size }
      end

      def try(files)
        return false if @left <= 0

        @left -= 1
        candidate = Case.new(name: @best.name, files: files)
        return false unless @differs.call(candidate) == @kind

        @best = candidate
        true
      rescue StandardError
        false
      end

      def drop_files
        (@best.files.keys - ['/queries']).each { |path| try(@best.files.except(path)) }
      end

      def drop_members(path)
        return unless @best.files.key?(path)

        members = JSON.parse(@best.files[path])
        members.each_key do |name|
          fewer = members.except(name)
          members = fewer if try(with(path, "#{JSON.generate(fewer)}\n"))
        end
      end

      def drop_query_fields
        query = @best.queries.first
        %w[default type merge explain].each do |field|
          next unless query.key?(field)

          smaller = query.except(field)
          query = smaller if try(with('/queries', "#{JSON.generate(smaller)}\n"))
        end
      end

      def with(path, body)
        @best.files.merge(path => body)
      end

      # Halves, quarters, … single lines of each file.
      def drop_lines
        (@best.files.keys - JSON_FILES).each do |path|
          chunk = [@best.files[path].lines.size / 2, 1].max
          loop do
            drop_chunks(path, chunk)
            break if chunk == 1

            chunk /= 2
          end
        end
      end

      def drop_chunks(path, chunk)
        at = 0
        while at < (lines = @best.files[path].lines).size
          at += chunk unless try(with(path, (lines[0, at] + lines.drop(at + chunk)).join))
        end
      end

      # Elements of flow collections, quotes and words inside lines.
      PART = /(?:(?<=[\[{,])|(?<=, ))(?:[^,\[\]{}"']|"[^"]*"|'[^']*'|\[[^\[\]]*\]|\{[^{}]*\})+(?:, ?|(?=[\]}]))/

      def drop_parts
        @best.files.each_key do |path|
          next if JSON_FILES.include?(path)

          from = 0
          while (match = PART.match(@best.files[path], from))
            body = match.pre_match + match.post_match
            from = match.begin(0) + (try(with(path, body)) ? 0 : 1)
          end
        end
      end
    end
  end
end
