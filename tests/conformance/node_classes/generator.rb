# frozen_string_literal: true

require 'fileutils'
require 'json'
require 'yaml'

module Conformance
  module NodeClasses
    # A random environment: a main manifest, classes that include others, data that name classes, and nodes with facts.
    class Generator
      FAMILIES = %w[Debian RedHat FreeBSD].freeze
      ROLES = %w[web db mail].freeze
      HIERA_YAML = <<~YAML
        version: 5
        hierarchy:
        - {name: node, path: 'nodes/%{trusted.certname}.yaml'}
        - {name: rest, paths: ['%{facts.os.family}.yaml', '%{role}.yaml', common.yaml]}
      YAML

      attr_reader :nodes

      def initialize(seed)
        @random = Random.new(seed)
        @defines = %w[m::d0 m::d1 m::d2]
        @nodes = Array.new(5) { |number| node(number) }
      end

      def write(root)
        @root = root
        put('hiera.yaml', HIERA_YAML)
        write_data
        15.times { |number| put("modules/m/manifests/c#{number}.pp", class_code(number)) }
        3.times { |number| put("modules/m/manifests/d#{number}.pp", define_code(number)) }
        put('manifests/site.pp', site)
        @nodes.each { |it| put(".hiera-ls/facts/#{it['name']}.json", JSON.generate(it['facts'])) }
        @nodes.each { |it| put(".hiera-ls/facts/#{it['name']}.yaml", it['enc'].to_yaml) if it['enc'] }
      end

      private

      def node(number)
        name = "#{pick(ROLES)}#{number}.example.com"
        family = pick(FAMILIES)
        release = { 'major' => pick(%w[7 12 9]), 'full' => 12 }
        facts = { 'clientcert' => name, 'os' => { 'family' => family, 'release' => release }, 'role' => pick(ROLES), 'cores' => pick([1, 4, 14]), 'class' => "M::C#{10 + @random.rand(5)}",
                  'is_virtual' => pick([true, false]), 'tags' => ROLES.sample(2, random: @random), 'local' => pick(%w[a b]) }
        facts['custom'] = pick(['', 'yes', true]) if chance(0.5)
        { 'name' => name, 'facts' => facts, 'enc' => chance(0.3) ? classifier : nil }
      end

      def classifier
        names = Array.new(2) { "m::c#{10 + @random.rand(5)}" }.uniq
        given = names.to_h { |it| [it, chance(0.5) ? nil : { 'p' => pick([true, 5]) }] }
        { 'classes' => chance(0.5) ? names : given, 'parameters' => { 'enc' => pick(%w[x y]) } }
      end

      def write_data
        levels = [*FAMILIES, *ROLES, 'common', *@nodes.map { |it| "nodes/#{it['name']}" }]
        levels.each do |level|
          data = %w[classes more].to_h { |key| [key, chance(level == 'common' ? 0.9 : 0.4) ? some_classes : nil] }.compact
          data['lookup_options'] = { 'more' => { 'merge' => 'unique' } } if level == 'common' && chance(0.5)
          put("data/#{level}.yaml", data.empty? ? "x: 1\n" : data.to_yaml)
        end
      end

      def some_classes
        Array.new(@random.rand(3)) { pick(['', '::']) + "m::c#{@random.rand(15)}" }
      end

      def site
        blocks = [
          ["node '#{@nodes[0]['name'].upcase}'", 0], ["node /^#{pick(ROLES)}/, 'other'", 1], ["node /example/", 2], ['node default', 3]
        ].sample(1 + @random.rand(3), random: @random)
        blocks << ['node default', 3] unless blocks.any? { |it| it[0] == 'node default' }
        blocks.clear if chance(0.3)
        top = body(0)
        blocks.map { |head, _| "#{head} {\n#{body(0)}}\n" }.insert(@random.rand(blocks.size + 1), top).join
      end

      def class_code(number)
        parent = number < 13 && chance(0.2) ? " inherits m::c#{number + 1 + @random.rand(13 - number)}" : ''
        parameter = chance(0.3) ? '($p = false, $local = 1)' : '($p = 1)'
        "class m::c#{number}#{parameter}#{parent} {\n#{body(number + 1)}}\n"
      end

      # A define declares only those after it. If one declared itself with a growing title, Puppet would never end.
      def define_code(number)
        all = @defines
        @defines = all.drop(number + 1)
        "define m::d#{number}($p = 1) {\n#{body(12 + number)}}\n"
      ensure
        @defines = all
      end

      # Statements that include classes from a number on, so that no class includes itself through others.
      def body(from, depth = 0)
        Array.new(1 + @random.rand(3)) { "  #{statement(from, depth)}\n" }.join
      end

      def name(from)
        "m::c#{[from + @random.rand(4), 14].min}"
      end

      def statement(from, depth)
        return "#{pick(%w[include contain require])} #{name(from)}" if chance(0.3)

        case depth > 1 ? pick([0, 1, 2, 3, 4, 5, 6, 10]) : @random.rand(14)
        when 0 then "include(['#{name(from)}', \"::#{name(from)}\"], Class['#{name(from)}'])"
        when 1 then lookup
        when 2 then declaration("#{pick(["\"t#{@random.rand(9999)}${title}\"", "['a#{@random.rand(9999)}', 'b#{@random.rand(9999)}']", '[]'])}")
        when 3 then declaration("\"v#{@random.rand(9999)}${title}\"", '@')
        when 4 then chance(0.3) ? "$local = 'a'" : "$other#{@random.rand(99_999)} = 1"
        when 5 then "$x#{@random.rand(99_999)} = #{condition} #{pick(%w[and or])} include(#{name(from)})"
        when 6 then from.zero? ? 'notice(1)' : "if #{condition} { return() }"
        when 7 then "if #{condition} {\n#{body(from, depth + 1)}} #{chance(0.5) ? "elsif #{condition} {\n#{body(from, depth + 1)}} " : ''}else {\n#{body(from, depth + 1)}}"
        when 8 then "unless #{condition} {\n#{body(from, depth + 1)}}"
        when 9 then cases(from, depth)
        when 10 then pick(["include \"m::c${facts['cores']}\"", "include $facts['class'], 'm::c14'", "contain \"${class}\""])
        when 11 then "['#{name(from)}'].each |$c| { include #{chance(0.5) ? '$c' : name(from)} }"
        when 12 then chance(0.2) ? "class { '#{name(from)}': p => 2 }" : "notice('x')"
        else "if #{condition} {\n#{body(from, depth + 1)}}"
        end
      end

      def declaration(title, virtual = '')
        @defines.empty? ? "notice('no define')" : "#{virtual}#{pick(@defines)} { #{title}: }"
      end

      def lookup
        key = pick(%w[classes more none])
        default = "['#{name(11)}']"
        typed = key == 'none' ? "lookup('none', undef, undef, #{default})" : "lookup('#{key}', Array[String]#{pick(['', ", 'unique'"])})"
        with_options = "lookup('#{key}', { 'merge' => 'unique', 'default_value' => #{default} })"
        forms = ["#{typed}.include", "include #{typed}", "#{with_options}.include", "hiera_include('#{key}', [])"]
        pick(chance(0.6) ? forms : other_lookups(key, default))
      end

      # The forms that few sites use.
      def other_lookups(key, default)
        merge = pick(["{ 'strategy' => 'unique' }", "'unique'", "'first'"])
        [
          "hiera_array('#{key}', #{default}).include",
          "hiera('#{key}', #{default}, 'ignored').include",
          "lookup('#{key}', Array, #{merge}, #{default}).include",
          "lookup(['none', '#{key}'], { 'merge' => #{merge}, 'default_value' => #{default} }).include",
          "lookup('#{key}', { 'override' => { '#{pick(%w[classes more])}' => #{default} }, 'default_value' => [] }).include",
          "lookup('#{key}', { 'default_values_hash' => { '#{key}' => #{default} } }).include"
        ]
      end

      def cases(from, depth)
        options = [["'debian', 'redhat'", 'web'], ['/^Free/', 'web'], ["'web'", ''], ["'DB', /mail/", ''], ['default', ''], ['String', '']]
        chosen = options.sample(1 + @random.rand(4), random: @random)
        "case #{pick(["$facts['os']['family']", '$role', "$facts['cores']", "$facts['custom']"])} {\n" +
          chosen.map { |it, _| "  #{it}: {\n#{body(from, depth + 1)}}\n" }.join + '}'
      end

      def condition
        simple = [
          "$facts['os']['family'] == '#{pick(FAMILIES + %w[debian])}'", "$facts['os']['family'] in ['RedHat', 'debian']", '$is_virtual',
          "$facts['cores'] #{pick(%w[> >= < <= == !=])} 4", "$::role =~ /^#{pick(%w[w d m])}/", "$facts['role'] !~ 'e'", "'web' in $facts['tags']",
          "$facts['custom']", "$local == 'a'", "$trusted['certname'] =~ /1/", "$p", "$nope", "$enc == 'x'", "$facts['os']['release']['full'] == 12.0",
          "versioncmp($facts['os']['release']['major'], '8') >= 0", "$facts['nope'] == undef", "$facts['tags'][0] == 'web'", 'true',
          "$facts['os']['name'] =~ Undef"
        ]
        one = pick(simple)
        one = "!(#{one})" if chance(0.2)
        chance(0.25) ? "(#{one} #{pick(%w[and or])} #{pick(simple)})" : one
      end

      def chance(share) = @random.rand < share

      def pick(list) = list.sample(random: @random)

      def put(path, text)
        file = File.join(@root, path)
        FileUtils.mkdir_p(File.dirname(file))
        File.write(file, text)
      end
    end
  end
end
