# frozen_string_literal: true

# Mistakes against YAML itself.

module Conformance
  module Mistakes
    module Kinds
      KEY = /\A[a-z]\w*(?:::\w+)*: /
      ITEM = /\A(  - )(\S.*)\z/
      SCALAR = /\A(\s*[\w:]+: )([a-z][\w.\/-]*)\z/

      line('tab as indentation', /\A {2,4}(?=\S)/) { |match, *| "\t#{match.post_match}" }
      swap('token without quotes', /: "(%\{[^"]*)"\z/) { |match| ": #{match[1]}" }
      swap('no blank behind the colon', /\A([a-z]\w*(?:::\w+)*): (?=\S)/) { |match| "#{match[1]}:" }
      swap('no blank behind the colon of a member', /\A(  +[a-z]\w*): (?=\S)/) { |match| "#{match[1]}:" }
      swap('quote that is not closed', /(['"])\z/) { '' }
      swap('bracket that is not closed', /\]\z/) { '' }
      swap('brace that is not closed', /\A([^%]*\{[^%}]*)\}\z/) { |match| match[1] }
      swap('colon and blank in a text', SCALAR) { |match| "#{match[1]}#{match[2]}: yes" }
      swap('item that is not aligned', ITEM) { |match| "   - #{match[2]}" }
      swap('member that is not aligned', /\A {4}(?=[a-z]\w*: )/) { '   ' }
      swap('star without quotes', SCALAR) { |match| "#{match[1]}*.#{match[2]}" }
      swap('at sign without quotes', SCALAR) { |match| "#{match[1]}@#{match[2]}" }
      swap('percent sign without quotes', SCALAR) { |match| "#{match[1]}%#{match[2]}" }
      swap('date without quotes', SCALAR) { |match| "#{match[1]}2024-02-29" }
      swap('tag of Ruby', SCALAR) { |match| "#{match[1]}!ruby/regexp /#{match[2]}/" }
      swap('symbol', SCALAR) { |match| "#{match[1]}:#{match[2]}" }
      swap('typographic quotes', /(: )"([^"%]+)"\z|(: )'([^'%]+)'\z/) { |match| "#{match[1] || match[3]}“#{match[2] || match[4]}”" }
      line('typographic quotes in a token', /"(%\{\w+\()'([^']+)'\)/) { |match, *| "#{match.pre_match}\"#{match[1]}‘#{match[2]}’)#{match.post_match}" }
      line('no-break space as indentation', /\A  (?=[a-z]\w*:)/) { |match, *| "\u00a0\u00a0#{match.post_match}" }
      line('no-break space behind the colon', /\A([a-z]\w*(?:::\w+)*:) (?=\S)/) { |match, *| "#{match[1]}\u00a0#{match.post_match}" }
      line('the same key twice', /\A([a-z][\w:]*): (\S.*)\z/) { |match, *| [match[0], "#{match[1]}: other"] }
      line('the same member twice', /\A(    +)(\w+): (\S.*)\z/) { |match, *| [match[0], "#{match[1]}#{match[2]}: other"] }
      line('conflict that is not resolved', /\A([a-z][\w:]*): (\S.*)\z/) do |match, *|
        ['<<<<<<< HEAD', match[0], '=======', "#{match[1]}: other", '>>>>>>> branch']
      end
      line('item of a list among keys', /\A  (\w+): (\S.*)\z/) { |match, *| "  - #{match[1]}: #{match[2]}" }
      line('two documents', /\A([a-z][\w:]*):/) { |match, lines, at| ['---', lines[at]] if at > 3 && match }
      line('merge key in quotes', /\A    (\w+): (\S.*)\z/) { |*, lines, at| ['    <<: "*defaults"', lines[at]] }
      line('alias without its anchor', /\A    (\w+): (\S.*)\z/) { |*, lines, at| ['    <<: *defaults', lines[at]] }
      line('list folded into a text', /\A( *)([a-z][\w:]*):\z/) do |_, lines, at|
        next unless lines[at + 1].to_s.match?(/\A\s+- \S/) && lines[at + 2].to_s.match?(/\A\s+- \S/)

        Joined.new("#{lines[at]} #{lines[at + 1].strip.delete_prefix('- ')}")
      end
      line('dashes without blanks', /\A( +)- (\w[\w.-]*)\z/) { |match, *| "#{match[1]}-#{match[2]}" }
      swap('flow pair without blank', /\{(\w+): (\w+)/) { |match| "{#{match[1]}:#{match[2]}" }
      file('Latin-1') { |text| ["#{text.sub(/^([a-z][\w:]*: )(\w+)$/) { "#{$1}#{$2}\u00e9" }}".encode('ISO-8859-1').b, (text.lines.index { |it| it.match?(/^([a-z][\w:]*: )(\w+)$/) } || 0) + 1] }
      file('list as the root') do |text|
        keys = text.lines.grep(/\A[a-z][\w:]*:/)
        ["---\n#{keys.map { |it| "- #{it[/\A[a-z][\w:]*/]}: 1\n" }.join}", 1] if keys.any?
      end
      file('JSON with a comma too many', only: /\.json\z/) { |text| [text.sub(/\n\}\s*\z/, ",\n}\n"), text.lines.size] }
      file('JSON with a comma too few', only: /\.json\z/) { |text| [text.sub(/,\n/, "\n"), text.lines.index { |it| it.end_with?(",\n") }.to_i + 2] }
      file('JSON with a comment', only: /\.json\z/) { |text| [text.sub(/\{\n/, "{\n  # ours\n"), 2] }
    end
  end
end
