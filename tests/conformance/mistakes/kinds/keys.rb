# frozen_string_literal: true

# Mistakes in keys.

module Conformance
  module Mistakes
    module Kinds
      PARAMETER = /\A(\w+(?:::\w+)*)::(\w+):/

      swap('one colon in a key', PARAMETER) { |match| "#{match[1]}:#{match[2]}:" }
      swap('three colons in a key', PARAMETER) { |match| "#{match[1]}:::#{match[2]}:" }
      swap('dash in a key', /\A(\w+(?:::\w+)*)::(\w+)_(\w+):/) { |match| "#{match[1]}::#{match[2]}-#{match[3]}:" }
      swap('dot in a key', PARAMETER) { |match| "#{match[1]}.#{match[2]}:" }
      swap('capital letter in a key', PARAMETER) { |match| "#{match[1].split('::').map(&:capitalize).join('::')}::#{match[2]}:" }
      swap('capital letter in a name', PARAMETER) { |match| "#{match[1]}::#{match[2].capitalize}:" }
      swap('blank in a key', PARAMETER) { |match| "#{match[1]}:: #{match[2]}:" }
      swap('colons before a key', PARAMETER) { |match| "::#{match[1]}::#{match[2]}:" }
      swap('colons behind a key', PARAMETER) { |match| "#{match[1]}::#{match[2]}:::" }
      swap('dollar in a key', PARAMETER) { |match| "#{match[1]}::$#{match[2]}:" }
      swap('misspelt parameter', /\A(\w+(?:::\w+)*)::(\w{5,}):/) { |match| "#{match[1]}::#{misspelt(match[2])}:" }
      swap('misspelt class', /\A(\w{4,})::(\w+(?:::\w+)*):/) { |match| "#{misspelt(match[1])}::#{match[2]}:" }
      swap('plural for singular', /\A(\w+(?:::\w+)*)::(\w{4,})s:/) { |match| "#{match[1]}::#{match[2]}:" }
      swap('misspelt key without a module', /\A([a-z]\w{4,}):/) { |match| "#{misspelt(match[1])}:" unless match[1] == 'lookup_options' }
      line('key inside the hash before it', PARAMETER) do |match, lines, at|
        "  #{lines[at]}" if at.positive? && lines[0...at].reverse.find { |it| !it.strip.empty? }.to_s.match?(/\A {2,}\w[\w.]*:/) && match
      end
      line('members that are not indented', /\A  ([a-z]\w*): (\S.*)\z/) { |match, *| "#{match[1]}: #{match[2]}" }
      swap('key with a token', PARAMETER) { |match| "\"%{facts.os.family}::#{match[2]}\":" }
    end
  end
end
