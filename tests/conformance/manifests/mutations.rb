# frozen_string_literal: true

require 'fileutils'

module Conformance
  module Manifests
    # Breaks files as people do while they type.
    module Mutations
      PIECES = ['{', '}', '(', ')', '[', ']', "'", '"', '${', '@(END)', '/*', '#', '/', ',', '=>', '$', '|', 'class ', 'if ', "\n", "\u00e9", "\0", "\xFF"].freeze

      # Writes a copy of `from` to `to`, broken at one place; returns that place, in bytes.
      def self.spoil(from, to, random)
        bytes = File.binread(from)
        place = random.rand(bytes.size + 1)
        piece = PIECES[random.rand(PIECES.size)].b
        spoilt =
          case random.rand(4)
          when 0 then bytes[0...place] + piece + bytes[place..]
          when 1 then bytes[0...place] + bytes[(place + 1)..].to_s
          when 2 then bytes[0...place]
          else bytes[0...place] + bytes[(place + random.rand(40))..].to_s
          end
        FileUtils.mkdir_p(File.dirname(to))
        File.binwrite(to, spoilt)
        place
      end
    end
  end
end
