# frozen_string_literal: true

# Values that are something else than was meant.

module Conformance
  module Mistakes
    module Kinds
      swap('number in quotes', /\A(\w+::[\w:]+: )(\d+)\z/) { |match| "#{match[1]}'#{match[2]}'" }
      swap('boolean in quotes', /\A(\w+::[\w:]+: )(true|false)\z/) { |match| "#{match[1]}'#{match[2]}'" }
      line('text for a list', /\A(\w+::[\w:]+):\z/) do |match, lines, at|
        is_alone = lines[at + 1].to_s.match?(/\A  - \w/) && !lines[at + 2].to_s.match?(/\A  - /)
        Joined.new("#{match[1]}: #{lines[at + 1].strip.delete_prefix('- ')}") if is_alone
      end
      swap('list for a text', /\A(\w+::[\w:]+: )([a-z]\S*)\z/) { |match| "#{match[1]}[#{match[2]}]" }
      line('value that is missing', /\A(\w+::[\w:]+): \S.*\z/) { |match, *| "#{match[1]}:" }
      swap('version without quotes', /\A(.*version: )['"](\d+\.\d+)['"]\z/) { |match| "#{match[1]}#{match[2]}" }
      swap('mode without quotes', /\A(.*mode: )'(0\d+)'\z/) { |match| "#{match[1]}#{match[2]}" }
      swap('mode as a decimal number', /\A(.*mode: )'0(\d+)'\z/) { |match| "#{match[1]}#{match[2]}" }
      swap('time without quotes', /\A(\w+::[\w:]*schedule: )"\d+ (\d+) .*"\z/) { |match| "#{match[1]}#{match[2]}:30" }
      swap('comma in a number', /\A(\w+::[\w:]+: )(\d)(\d{3})\z/) { |match| "#{match[1]}#{match[2]},#{match[3]}" }
      swap('number with a leading zero', /\A(\w+::[\w:]+: )(\d{2,})\z/) { |match| "#{match[1]}0#{match[2]}" }
      append('plain text of eyaml edit', "mistake::password: DEC::PKCS7[not a secret]!\n")
      append('numbered plain text of eyaml edit', "mistake::password: DEC(3)::PKCS7[not a secret]!\n")
      append('encrypted text that is cut', "mistake::password: ENC[PKCS7,MIIBeQYJKoZIhvcN\n")
      append('member that is neither text nor number', "mistake::flags: {on: 1, off: 2}\n")
      append('number as a key', "8080: proxy\n")
    end
  end
end
