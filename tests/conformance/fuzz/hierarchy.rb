# frozen_string_literal: true

module Conformance
  module Fuzz
    # A random hiera.yaml (version 5, rarely 4 or 3, rarely a broken one) and the data files that its levels may read.
    class Hierarchy
      # How a level may name its files => the files that it may find, relative to the datadir.
      PATHS = {
        'common.yaml' => ['common.yaml'], 'nodes/%{trusted.certname}.yaml' => ['nodes/node1.example.com.yaml'],
        'os/%{facts.os.family}.yaml' => ['os/Debian.yaml'], 'role/%{role}.yaml' => ['role/web.yaml'],
        'os/%{os.name}-%{facts.os.release.major}.yaml' => ['os/Debian-12.yaml'], '%{environment}.yaml' => ['production.yaml'],
        '%{::environment}.yaml' => ['production.yaml'], 'x/../common.yaml' => ['common.yaml'], './x/a.yaml' => ['x/a.yaml'],
        '%{list}.yaml' => ['["a", "b", "c"].yaml'], '%{nope}common.yaml' => ['common.yaml'], 'x/%{number}.yaml' => ['x/42.yaml'],
        '%{facts.nope}a.yaml' => ['a.yaml'], '%{token}.yaml' => ['some.yaml'], 'x/%{list.1}.yaml' => ['x/b.yaml'],
        '%{tier}a.yaml' => ['a.yaml'], 'absent.yaml' => [], '%{zones.0}/a.yaml' => ['z1/a.yaml'], '../up.yaml' => ['../up.yaml']
      }.freeze
      ODD_PATHS = {
        '%{text.x}.yaml' => [], "%{lookup('a')}.yaml" => [], '%{facts.nope}' => [], '%{}a.yaml' => ['a.yaml'],
        "%{literal('a')}.yaml" => ['a.yaml'], '%{call}.yaml' => [], '%{selfref}.yaml' => [], '/abs.yaml' => [],
        '%{with space}.yaml' => ['spaced.yaml'], 'x' => ['x/a.yaml'], '%{number.x}.yaml' => [], "%{'text'}.yaml" => ['some.yaml'],
        "%{facts['os']}.yaml" => [], 'common' => ['common'], '%{deep_token}.yaml' => ['some.yaml'], '%{nothing}a.yaml' => ['a.yaml'],
        'a//b.yaml' => ['a/b.yaml'], '%{m1::v}a.yaml' => ['a.yaml'], '%{text' => ['%{text'], '%{literal_call}.yaml' => []
      }.freeze
      GLOBS = {
        'x/*.yaml' => ['x/a.yaml', 'x/B.yaml', 'x/.hid.yaml'], '**/*.yaml' => ['common.yaml', 'x/a.yaml', 'x/y/c.yaml'],
        '{common,x/a}.yaml' => ['common.yaml', 'x/a.yaml'], 'x/[ab].yaml' => ['x/a.yaml', 'x/b.yaml', 'x/c.yaml'],
        'x/[^a].yaml' => ['x/a.yaml', 'x/b.yaml'], 'x/?.yaml' => ['x/a.yaml', 'x/42.yaml'], 'x/%{star}.yaml' => ['x/a.yaml'],
        'x/**.yaml' => ['x/a.yaml', 'x/y/c.yaml'], 'common.yaml' => ['common.yaml'], 'none/*.yaml' => [],
        '*/{b,a}.yaml' => ['x/a.yaml', 'x/b.yaml', 'z1/a.yaml'], '{x,os}/**/*.yaml' => ['x/a.yaml', 'os/Debian.yaml'],
        'x/.*.yaml' => ['x/.hid.yaml'], '*.yaml' => ['common.yaml'], '../data/x/*.yaml' => ['x/a.yaml'], 'x/{a,nope,b}.yaml' => ['x/b.yaml'],
        'x/[!a-c].yaml' => ['x/a.yaml', 'x/d.yaml'], 'x/\\a.yaml' => ['x/a.yaml'], '%{text}*.yaml' => ['some.yaml'],
        '**/a.yaml' => ['a.yaml', 'x/a.yaml', 'z1/a.yaml'], '{c*,x/b}.yaml' => ['common.yaml', 'x/b.yaml'],
        '%{nope}*.yaml' => ['common.yaml'], 'x/*a*.yaml' => ['x/a.yaml', 'x/ab.yaml'], '{,x/}a.yaml' => ['a.yaml', 'x/a.yaml']
      }.freeze
      MAPPED = {
        ['list', 'item', 'x/%{item}.yaml'] => ['x/a.yaml', 'x/c.yaml'], ['facts.list', 't', '%{t}.yaml'] => ['a.yaml'],
        ['::zones', 'z', '%{z}/a.yaml'] => ['z1/a.yaml', 'z2/a.yaml'], ['text', 't', '%{t}.yaml'] => ['some.yaml'],
        ['numbers', 'n', 'x/%{n}.yaml'] => ['x/1.yaml'], ['empty', 't', '%{t}a.yaml'] => ['a.yaml'],
        ['empty_list', 't', 'a.yaml'] => ['a.yaml'], ['nope', 't', 'a.yaml'] => ['a.yaml'],
        ['list', 'text', '%{text}.yaml'] => ['a.yaml'], ['list', 't', 'x/%{::t}a.yaml'] => ['x/a.yaml'],
        ['map', 't', '%{t}.yaml'] => [], ['mixed', 't', 'x/%{t}.yaml'] => ['x/5.yaml'], ['facts.os.family', 'o', 'os/%{o}.yaml'] =>
        ['os/Debian.yaml'], ['facts.nope', 't', 'a.yaml'] => ['a.yaml'], ['%{list}', 't', '%{t}.yaml'] => ['a.yaml'],
        ['map.n.b', 't', 'x/%{t}.yaml'] => ['x/1.yaml'], ['list', 't', '%{t}/%{role}.yaml'] => ['a/web.yaml'],
        ['flag', 't', '%{t}.yaml'] => ['true.yaml'], ['number', 't', '%{t}.yaml'] => ['42.yaml'],
        ['text.x', 't', '%{t}.yaml'] => [], ['list', 't', 'x/{%{t}}.yaml'] => [], ['list.1', 't', '%{t}.yaml'] => ['b.yaml'],
        ['token', 't', '%{t}.yaml'] => ['some.yaml'], ['nothing', 't', 'a.yaml'] => ['a.yaml']
      }.freeze
      DATADIRS = { 'data' => 'data', 'hieradata/%{environment}' => 'hieradata/production', 'data/' => 'data', './data' => 'data',
                   'x/../data' => 'data', '.' => '.', '%{role}' => 'web', '%{facts.nope}data' => 'data' }.freeze
      ODD_DATADIRS = { '%{nope}data' => 'data', "%{lookup('a')}" => 'data', '%{text.x}' => 'data', '%{tier}data' => 'data',
                       '%{token}' => 'some', '%{lines}' => 'data' }.freeze
      # Changes that make a hiera.yaml odd or illegal: `[what to find, what to put there]`.
      MISTAKES = [['version: 5', "version: '5'"], ['version: 5', 'version: 5.0'], ['version: 5', 'version: 6'], ['version: 5', ''],
                  ['version: 5', 'version: ~'], ['version: 5', ':version: 5'], ['version: 5', 'version: foo'], [/name: /, 'nam: '],
                  [/name: \w+/, "name: ''"], [/name: \w+/, 'name: 5'], [/name: \w+/, 'name: same'], [/\bpath: /, 'paths: '],
                  [/\bpath: "[^"]*"/, 'path: ""'], [/\bpath: "[^"]*"/, 'path: ~'], [/\bpath: /, 'path: a.yaml, glob: '],
                  [/\bpaths: \[/, 'paths: ["", '], [/\bpaths: \[[^\]]*\]/, 'paths: []'], [/\bglob: /, 'globs: '],
                  [/\bmapped_paths: \[[^,]*,/, 'mapped_paths: ['], [/data_hash: yaml_data/, 'lookup_key: yaml_data, data_hash: x'],
                  [/\bdatadir: "[^"]*"/, 'datadir: 5'], ['hierarchy:', "zork: 1\nhierarchy:"], ['hierarchy:', 'default_hierarchy:'],
                  ['hierarchy:', "hierarchy: {x: 1}\nplan_hierarchy:"], ['hierarchy:', "hierarchy: ~\nplan_hierarchy:"],
                  [/\bpath: /, 'options: {a: 1}, path: '], [/\bpath: /, 'options: {path: 1}, path: '], [/\bpath: /, 'options: {_x: 1}, path: '],
                  [/\bpath: /, 'uri: "http://x/y", name2: '], [/\bpath: "[^"]*"/, 'uri: "http://x y"'], [/\bpath: "[^"]*"/, ''],
                  [/\bpath: /, 'hiera3_backend: yaml, path: '], ['defaults:', "defaults: {path: a}\nplan_hierarchy: []\nx:"],
                  [/data_hash: yaml_data/, 'data_hash: nofn'], [/data_hash: yaml_data/, 'data_hash: 5'], [/\A/, "- a\n"], [/\A/, "  a: b: c\n"],
                  ["hierarchy:\n", "hierarchy: []\nplan_hierarchy:\n"], ['defaults:', "defaults:\n  options: {a: 1}\nx:"],
                  ['hierarchy:', "defaults: {data_hash: json_data}\nhierarchy:"], ['hierarchy:', "defaults: {datadir: data}\nhierarchy:"],
                  ['hierarchy:', "defaults: ~\nhierarchy:"], [/\A.*\z/m, "version: 5\n"], [/\A.*\z/m, "version: 5\nhierarchy:\n"],
                  [/\A.*\z/m, "version: 5\nhierarchy: []\n"], [/\A.*\z/m, ''], [/\A.*\z/m, "5\n"], [/\A.*\z/m, "version: 5\nhierarchy: text\n"],
                  [/\A.*\z/m, "version: 5\ndefaults: {datadir: hieradata}\n"], [/\A.*\z/m, "version: 3\n"], [/\A.*\z/m, "version: 4\n"],
                  [/\A.*\z/m, "version: 4\nhierarchy:\n  - {name: common, backend: yaml}\n  - {name: j, backend: json, path: x}\n"],
                  [/\A.*\z/m, "version: 4\ndatadir: x\nhierarchy:\n  - {name: '%{role}', backend: yaml}\n"],
                  [/\A.*\z/m, "version: 4\nhierarchy:\n  - {name: common, backend: foo}\n"],
                  [/\A.*\z/m, "version: 4\nhierarchy:\n  - {name: common}\n  - {backend: yaml, paths: [a, 5]}\n"]].freeze

      attr_reader :files

      def initialize(chance, layer)
        @chance = chance
        @layer = layer
        @files = {} # path below the layer's folder => :yaml or :json
      end

      # The text of hiera.yaml. `#files` then knows which data files to write.
      def text
        @datadir = 'data'
        @function = nil
        body = +"version: 5\n"
        body << defaults if @chance.one_in(3)
        body << levels('hierarchy', 1..5) unless @chance.one_in(25) && plain_default
        body << levels('default_hierarchy', 1..3) if @layer == :module && @chance.one_in(2)
        @files['data/common.yaml'] ||= :yaml if @files.empty?
        @chance.one_in(35) ? mistaken(body) : body
      end

      private

      def plain_default
        @files["#{@datadir}/common.yaml"] = :yaml
      end

      def mistaken(body)
        find, put = @chance.of(MISTAKES)
        @chance.one_in(2) ? body.sub(find, put) : body.gsub(find, put)
      end

      # After `defaults` every level has a function, unless by mistake.
      def defaults
        options = {}
        unless @chance.one_in(3)
          spelled, @datadir = @chance.of(datadirs.to_a)
          options['datadir'] = spelled
        end
        @function = @chance.one_in(5) ? 'json_data' : 'yaml_data' unless @chance.one_in(5)
        @named = @function.nil?
        options['data_hash'] = @function if @function
        return "defaults: #{JSON.generate(options)}\n" if @chance.one_in(2) || options.empty?

        "defaults:\n#{options.map { |key, value| "  #{key}: #{JSON.generate(value)}\n" }.join}"
      end

      def levels(key, count)
        list = @chance.times(count) { |index| level("#{key[0]}#{index}") }
        "#{key}:\n#{list.join}"
      end

      def level(name)
        level = { 'name' => @chance.one_in(30) ? @chance.of(['Level one', "it's", '%{text}', 'a: b']) : name }
        datadir = @datadir
        if @chance.one_in(6)
          spelled, datadir = @chance.of(datadirs.to_a)
          level['datadir'] = spelled
        end
        format = level_format(level)
        location(level, datadir, format)
        return "  - #{JSON.generate(level)}\n".gsub(/"(\w+)":/, '\1: ') if @chance.one_in(2)

        "  -#{level.map { |key, value| " #{key}: #{JSON.generate(value)}\n" }.join('   ')}"
      end

      def level_format(level)
        function = @function || 'yaml_data'
        if @named ? !@chance.one_in(10) : @chance.one_in(8)
          function = @chance.one_in(4) ? 'json_data' : 'yaml_data'
          level['data_hash'] = function
        end
        function == 'json_data' ? :json : :yaml
      end

      def location(level, datadir, format)
        case @chance.weighted(path: 8, paths: 4, glob: 2, globs: 1, mapped_paths: 2, none: @chance.one_in(10) ? 2 : 0)
        when :path then one(level, 'path', paths, datadir, format)
        when :glob then one(level, 'glob', globs, datadir, format)
        when :mapped_paths then one(level, 'mapped_paths', mapped, datadir, format)
        when :paths then several(level, 'paths', paths, datadir, format)
        when :globs then several(level, 'globs', globs, datadir, format)
        end
      end

      def paths
        @chance.one_in(80) ? ODD_PATHS : PATHS
      end

      def globs
        GLOBS
      end

      def mapped
        MAPPED
      end

      def datadirs
        @chance.one_in(12) ? ODD_DATADIRS : DATADIRS
      end

      def one(level, key, choices, datadir, format)
        level[key] = take(choices, datadir, format)
      end

      def several(level, key, choices, datadir, format)
        level[key] = @chance.times(1..3) { take(choices, datadir, format) }
      end

      def take(choices, datadir, format)
        spelled, files = @chance.of(choices.to_a)
        json = format == :json
        files.each do |file|
          next if @chance.one_in(5)

          file = as_json(file) if json
          @files[File.join(datadir, file)] ||= json && !@chance.one_in(12) ? :json : :yaml
        end
        return spelled unless json

        spelled.is_a?(Array) ? [*spelled[..-2], as_json(spelled.last)] : as_json(spelled)
      end

      # Puppet parses a file that two functions read only once, so no file has both: docs/puppet-differences.md.
      def as_json(path)
        path.sub(/(\.(yaml|yml|\{yaml,yml\}))?\z/, '.json')
      end
    end
  end
end
