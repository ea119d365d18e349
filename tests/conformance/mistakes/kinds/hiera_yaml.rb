# frozen_string_literal: true

# Mistakes in hiera.yaml, and files that lie where no level looks.

module Conformance
  module Mistakes
    module Kinds
      PATH = /\A( +(?:- )?(?:path: )?"?)((?:\w+\/)?[^"\s]*%\{[^"]*|\w[\w.\/-]*)(\.yaml)("?)\z/

      def self.config(name, pattern, **options, &replacement)
        swap(name, pattern, files: :configs, **options, &replacement)
      end

      config('path that is a directory', /\A( +path: "?)(\w+)\/[^"]*("?)\z/) { |match| "#{match[1]}#{match[2]}#{match[3]}" }
      config('path that is a directory with a slash', /\A( +path: "?)(\w+)\/[^"]*("?)\z/) { |match| "#{match[1]}#{match[2]}/#{match[3]}" }
      config('data_hash with a dash', /yaml_data/) { 'yaml-data' }
      config('misspelt function', /yaml_data/) { 'yaml_dat' }
      config('function of another kind', /data_hash: yaml_data/) { 'lookup_key: yaml_data' }
      config('backend of old Hiera', /data_hash: yaml_data/) { 'backend: yaml' }
      config('path without extension', PATH) { |match| "#{match[1]}#{match[2]}#{match[4]}" }
      config('path with the other extension', PATH, others: :data_files) { |match| "#{match[1]}#{match[2]}.yml#{match[4]}" }
      config('path with a slash in front', /\A( +path: "?)(?=\w)/) { |match| "#{match[1]}/" }
      config('misspelt path', /\A( +path: )common\.yaml\z/) { |match| "#{match[1]}comon.yaml" }
      config('misspelt directory in a path', /\A( +(?:path: |- )"?)(\w{3,})s\/(?=%|\w)/) { |match| "#{match[1]}#{match[2]}/" }
      config('plural of a directory in a path', /\A( +(?:path: |- )"?)(\w{2,}[^s])\/(?=%|\w)/) { |match| "#{match[1]}#{match[2]}s/" }
      config('misspelt fact in a path', /%\{facts\.(\w{3,})/) { |match| "%{facts.#{misspelt(match[1])}" }
      config('misspelt member of a fact in a path', /%\{facts\.(\w+)\.(\w{3,})\}/) { |match| "%{facts.#{match[1]}.#{misspelt(match[2])}}" }
      config('misspelt member of trusted in a path', /%\{trusted\.certname\}/) { '%{trusted.cername}' }
      config('fact for facts in a path', /%\{facts\./) { '%{fact.' }
      config('variable of Puppet in a path', /%\{facts\.(\w+)\.(\w+)\}/) { |match| "${facts['#{match[1]}']['#{match[2]}']}" }
      config('dollar for the percent sign in a path', /%\{(facts[\w.]+)\}/) { |match| "${#{match[1]}}" }
      config('brackets in a path', /%\{facts\.(\w+)\.(\w+)\}/) { |match| "%{facts['#{match[1]}']['#{match[2]}']}" }
      config('token that is not closed in a path', /(%\{[\w.]+)\}/) { |match| match[1] }
      config('function in a path', /%\{facts\.(\w+)/) { |match| "%{lookup('#{match[1]}')}#{match[0]}" }
      config('token without quotes', /"(nodes\/)(%\{[\w.]+\})\.yaml"/) { |match| match[2] }
      config('misspelt key of a level', /\A( +)path:/) { |match| "#{match[1]}pathes:" }
      config('paths with a text', /\A( +)path:/) { |match| "#{match[1]}paths:" }
      config('path with a list', /\A( +)path: (.*)\z/) { |match| "#{match[1]}path: [#{match[2]}]" }
      config('level without a name', /\A  - name: .*\z/) { |match| "  - title: x" if match }
      config('two levels of one name', /\A  - name: (?!Common).*\z/, others: :configs) { '  - name: Common data' }
      config('misspelt datadir', /\A(  datadir: )(\w+)/) { |match| "#{match[1]}#{misspelt(match[2])}" }
      config('datadir of a server', /\A(  datadir: )(\w+)/) { |match| "#{match[1]}/srv/#{match[2]}" }
      config('misspelt hierarchy', /\Ahierarchy:/) { 'hierachy:' }
      config('misspelt defaults', /\Adefaults:/) { 'default:' }
      config('version as a text', /\Aversion: 5/) { "version: '5'" }
      config('version that is missing', /\Aversion: 5/) { '' }
      config('version that does not exist', /\Aversion: 5/) { 'version: 6' }
      config('symbols of old Hiera', /\Ahierarchy:/) { ':hierarchy:' }
      config('options for yaml_data', /\A  data_hash: yaml_data\z/) { |match| "#{match[0]}\n  options: {extension: yaml}" }
      config('level that is not aligned', /\A    (?=path)/) { '   ' }
      config('star in a path', /\A( +path: ")[^"]*"/) { |match| "#{match[1]}*.yaml\"" }
      line('defaults without a function', /\A  data_hash: yaml_data\z/, files: :configs) { |match, *| [] if match }
      renamed('file with the other extension') { |path| path.sub(/\.yaml\z/, '.yml') if path.end_with?('.yaml') }
      renamed('file without extension') { |path| path.sub(/\.\w+\z/, '') }
      renamed('misspelt literal file') { |path| path.sub('common.yaml', 'comon.yaml') if path.end_with?('/common.yaml') }
      renamed('file in another directory') do |path|
        path.sub(%r{/(\w+)s/([^/]+)\z}, '/\1/\2') if path.match?(%r{data/\w+s/[^/]+\z})
      end
    end
  end
end
