# frozen_string_literal: true

# Mistakes in what is interpolated.

module Conformance
  module Mistakes
    module Kinds
      CALL = /%\{(lookup|alias)\('([^']+)'\)\}/

      # A word with two letters of it swapped.
      def self.misspelt(word)
        at = word.size / 2
        at += 1 while at + 1 < word.size && word[at] == word[at + 1]
        at + 1 < word.size ? word[0...at] + word[at + 1] + word[at] + word[at + 2..] : "#{word}x"
      end

      swap('token that is not closed', /(%\{[^}"]+)\}/) { |match| match[1] }
      swap('call without quotes', CALL) { |match| "%{#{match[1]}(#{match[2]})}" }
      swap('call with blanks', CALL) { |match| "%{#{match[1]}( '#{match[2]}' )}" }
      swap('misspelt function', CALL) { |match| "%{#{misspelt(match[1])}('#{match[2]}')}" }
      swap('function of Puppet', CALL) { |match| "%{hiera_hash('#{match[2]}')}" }
      swap('function with a capital', CALL) { |match| "%{#{match[1].capitalize}('#{match[2]}')}" }
      swap('misspelt key in a call', CALL) { |match| "%{#{match[1]}('#{match[2][0..-4]}#{misspelt(match[2][-3..])}')}" }
      swap('key of a call with one colon', /%\{(lookup|alias)\('(\w+)::([^']+)'\)\}/) { |match| "%{#{match[1]}('#{match[2]}:#{match[3]}')}" }
      swap('member of a call that is not there', /%\{(lookup|alias)\('([\w:]+)\.(\w+)'\)\}/) { |match| "%{#{match[1]}('#{match[2]}.#{misspelt(match[3])}')}" }
      swap('member of a text', CALL) { |match| "%{#{match[1]}('#{match[2]}.name')}" }
      swap('alias within a text', /%\{lookup\('([^']+)'\)\}(?=[^"])/) { |match| "%{alias('#{match[1]}')}" }
      swap('lookup for a list or hash', /%\{alias\('([^']+)'\)\}/) { |match| "%{lookup('#{match[1]}')}" }
      line('key that looks itself up', /\A([a-z][\w:]*): (?=\S)/) { |match, *| "#{match[1]}: \"%{lookup('#{match[1]}')}\"" }
      swap('member in brackets', /%\{facts\.(\w+)\.(\w+)\}/) { |match| "%{facts['#{match[1]}']['#{match[2]}']}" }
      swap('variable of Puppet', /%\{(facts)\.(\w+)\.(\w+)\}/) { |match| "${#{match[1]}['#{match[2]}']['#{match[3]}']}" }
      swap('variable of Puppet with a dollar', /%\{(facts|trusted)\./) { |match| "%{$#{match[1]}." }
      swap('blank behind the percent sign', /%\{(?=facts|trusted)/) { '% {' }
      swap('parentheses for braces', /%\{((?:facts|trusted)[\w.]+)\}/) { |match| "%(#{match[1]})" }
      swap('dollar for the percent sign', /%\{((?:facts|trusted)[\w.]+)\}/) { |match| "${#{match[1]}}" }
      swap('template braces', /%\{((?:facts|trusted)[\w.]+)\}/) { |match| "{{ #{match[1]} }}" }
      swap('call with a dollar', CALL) { |match| "${#{match[1]}('#{match[2]}')}" }
      swap('misspelt last member of a fact', /%\{facts\.([\w.]+)\.(\w{3,})\}/) { |match| "%{facts.#{match[1]}.#{misspelt(match[2])}}" }
      swap('misspelt first member of a fact', /%\{facts\.(\w{3,})\.([\w.]+)\}/) { |match| "%{facts.#{misspelt(match[1])}.#{match[2]}}" }
      swap('fact for facts', /%\{facts\./) { '%{fact.' }
      swap('misspelt trusted', /%\{trusted\./) { '%{trused.' }
      swap('misspelt member of trusted', /%\{trusted\.certname/) { '%{trusted.cername' }
      swap('extension for extensions', /%\{trusted\.extensions/) { '%{trusted.extension' }
      swap('misspelt extension', /%\{trusted\.extensions\.pp_role/) { '%{trusted.extensions.pp_roel' }
      swap('two dots', /%\{facts\.(\w+)\.(?=\w)/) { |match| "%{facts.#{match[1]}.." }
      swap('legacy fact', /%\{facts\.os\.family\}/) { '%{osfamily}' }
      swap('member without facts', /%\{facts\.(os|networking)\./) { |match| "%{#{match[1]}x." }
      swap('percent sign without literal', /%\{literal\("%"\)\}/) { '%' }
      swap('brace of a log format', /%\{literal\("%"\)\}/) { '%{' }
    end
  end
end
