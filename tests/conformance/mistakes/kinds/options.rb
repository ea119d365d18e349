# frozen_string_literal: true

# Mistakes in lookup_options.

module Conformance
  module Mistakes
    module Kinds
      MERGE = /\A(    (?:  )?(?:merge|strategy): )(\w+)\z/

      swap('misspelt strategy', MERGE) { |match| "#{match[1]}#{misspelt(match[2])}" }
      swap('strategy with a capital', MERGE) { |match| "#{match[1]}#{match[2].capitalize}" }
      swap('strategy with a symbol', MERGE) { |match| "#{match[1]}:#{match[2]}" }
      swap('strategy of old Hiera', MERGE) { |match| "#{match[1]}deeper" }
      swap('strategy that cannot merge the values', MERGE, others: :data_files) { |match| "#{match[1]}#{match[2] == 'hash' ? 'unique' : 'hash'}" }
      swap('misspelt merge', /\A    merge:/) { '    merg:' }
      swap('misspelt strategy key', /\A      strategy:/) { '      stategy:' }
      swap('misspelt knockout_prefix', /\A      knockout_prefix:/) { '      knockout-prefix:' }
      swap('misspelt convert_to', /\A    convert_to:/) { '    convert-to:' }
      swap('misspelt type', /\A    convert_to: (\w+)/) { |match| "    convert_to: #{misspelt(match[1])}" }
      swap('type in small letters', /\A    convert_to: (\w+)/) { |match| "    convert_to: #{match[1].downcase}" }
      swap('misspelt key of options', /\A  (\w+::(?:\w+::)*)(\w{4,}):\z/) { |match| "  #{match[1]}#{misspelt(match[2])}:" }
      swap('key of options with one colon', /\A  (\w+)::([\w:]+):\z/) { |match| "  #{match[1]}:#{match[2]}:" }
      swap('key of options with a dot', /\A  (\w+::(?:\w+::)*\w+):\z/) { |match| "  #{match[1]}.member:" }
      swap('pattern without caret', /\A  (['"])\^/) { |match| "  #{match[1]}" }
      swap('pattern that is not closed', /\A  "\^(.*)\)\$"/) { |match| "  \"^#{match[1]}$\"" }
      swap('star for a pattern', /\A  (\w+)::(\w+::)*\w+:\z/) { |match| "  #{match[1]}::*:" }
      swap('lookup_option', /\Alookup_options:/) { 'lookup_option:' }
      swap('lookup-options', /\Alookup_options:/) { 'lookup-options:' }
      swap('options that are not indented', /\A    merge: (\w+)\z/) { |match| "  merge: #{match[1]}" }
      line('options as a list', /\A  (\w+::[\w:]+):\z/) { |match, lines, at| ["  - #{match[1]}:"] if lines[at - 1].start_with?('lookup_options') }
      line('strategy without its key', /\A    merge: (\w+)\z/) { |match, lines, at| lines[at - 1] =~ /:\z/ && "    #{match[1]}" }
      line('options as a text', /\A  (\w+::[\w:]+):\z/) do |match, lines, at|
        Joined.new("  #{match[1]}: deep") if lines[at + 1].to_s.match?(/\A    merge: \w+\z/)
      end
      swap('lookup in options', MERGE) { |match| "#{match[1]}\"%{lookup('strategy')}\"" }
      swap('knockout of what is not there', /--(operators|hstore|metrics)\b/) { |match| "--#{misspelt(match[1])}" }
      swap('knockout with one dash', /--(operators|hstore|metrics)\b/) { |match| "-#{match[1]}" }
    end
  end
end
