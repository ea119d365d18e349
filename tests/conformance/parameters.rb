#!/usr/bin/env ruby
# frozen_string_literal: true

# Compares real Puppet with `hiera-ls lookup --class`: the values that random data gives to the parameters of random classes, and the
# messages if Puppet refuses them.
#
#   ruby tests/conformance/parameters.rb [--binary PATH] [--seed N] [--classes 300] [--show 5]
#   ruby tests/conformance/parameters.rb --modulepath A:B [--module NAME]...     existing classes with random data
#
# Puppet runs in this process: Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder. Bodies of classes are
# not evaluated. If a default is an expression, only results that do not depend on it are compared. A difference exits with 1.

require 'json'
require 'open3'
require 'optparse'
require 'yaml'
require_relative 'puppet_lookup'
require_relative 'types/generator'

module Conformance
  # Puppet's side.
  class Binder < PuppetLookup
    # A node with facts only.
    OnlyFacts = Struct.new(:facts) do
      def json(_path, default) = default
    end

    # Classes only bind their parameters; their parent classes are evaluated completely.
    module WithoutBodies
      class << self
        attr_accessor :wanted
      end

      def evaluate_code(resource)
        return super unless type == :hostclass && name == WithoutBodies.wanted

        kept = @code
        @code = nil
        super
      ensure
        @code = kept if kept
      end
    end
    Puppet::Resource::Type.prepend(WithoutBodies)

    # The parameters' values by name, or a text for Puppet's error.
    def bind(folder, name, facts)
      WithoutBodies.wanted = name
      bound = nil
      in_compiler(folder, OnlyFacts.new(Marshal.load(Marshal.dump(facts)))) do |scope|
        Puppet::Pops::Parser::EvaluatingParser.new.evaluate_string(scope, "include #{name}")
        resource = scope.catalog.resource('Class', name)
        names = resource.resource_type.arguments.keys
        bound = names.to_h { |it| [it, encode(resource.parameters[it.to_sym]&.value)] }
      end
      bound
    rescue StandardError, SystemStackError => e
      message(e).sub(/\AEvaluation Error: Error while evaluating a Function Call, /, '').sub(/ \(file: .*\z| \(line: .*\z| on node \S+\z/m, '')
    end
  end

  # Random classes and data below a directory.
  class Environment
    LITTLE = [nil, true, false, 0, 1, 8080, -5, 1.5, '', 'a', 'running', '/tmp', "%{facts.os.family}", [], ['a'], [1], {}, { 'a' => 1 }].freeze
    OPTIONS = [{ 'merge' => 'unique' }, { 'merge' => 'hash' }, { 'merge' => 'deep' }, { 'convert_to' => 'Sensitive' },
               { 'convert_to' => 'String' }, { 'convert_to' => 'Integer' }, { 'convert_to' => ['Array', true] }].freeze
    HIERA_YAML = "version: 5\nhierarchy:\n- {name: os, path: '%{facts.os.family}.yaml'}\n- {name: common, path: common.yaml}\n"

    attr_reader :names

    def initialize(directory, seed)
      @directory = directory
      @random = Random.new(seed)
      @data = { 'Debian' => {}, 'common' => { 'lookup_options' => {} } }
      @names = []
    end

    def make_classes(count, seed)
      aliases = Types::Aliases.write(File.join(@directory, 'modules'))
      questions = Types::Generator.new(seed, aliases).pairs(count * 8).select { |it| plain?(it['value']) }
      questions.each_slice(3).first(count).each_with_index { |slice, number| make_class("k::c#{number}", slice) }
      write_data
    end

    # Data for classes in other directories.
    def feed(classes)
      classes.each do |record|
        @names << record['name']
        record['params'].each { |it| feed_key("#{record['name']}::#{it['name']}", it.fetch('literal', 1)) }
      end
      write_data
    end

    private

    def chance(share) = @random.rand < share

    def make_class(name, questions)
      parameters = questions.each_with_index.map do |question, index|
        feed_key("#{name}::p#{index}", question['value'])
        next "$p#{index} = upcase('x')" if chance(0.05)

        default = chance(0.4) ? " = #{literal(chance(0.9) ? question['value'] : LITTLE.sample(random: @random))}" : ''
        "#{question['type']} $p#{index}#{default}"
      end
      path = File.join(@directory, 'modules', 'k', 'manifests', "#{name.delete_prefix('k::')}.pp")
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, "class #{name} (\n  #{parameters.join(",\n  ")}\n) { }\n")
      @names << name
    end

    def feed_key(key, value)
      @data.each_value { |level| level[key] = chance(0.97) ? value : LITTLE.sample(random: @random) if chance(0.5) }
      @data['common']['lookup_options'][key] = OPTIONS.sample(random: @random) if chance(0.04)
    end

    def write_data
      FileUtils.mkdir_p(File.join(@directory, 'data'))
      File.write(File.join(@directory, 'hiera.yaml'), HIERA_YAML)
      @data.each { |name, level| File.write(File.join(@directory, 'data', "#{name}.yaml"), level.to_yaml) }
    end

    # Values that YAML, JSON and Puppet code can all express, and that contain no interpolation.
    def plain?(value)
      case value
      when Hash then !value.key?('__ptype') && value.all? { |key, item| plain?(key) && plain?(item) }
      when Array then value.all? { |item| plain?(item) }
      when String then !value.include?('%')
      when Float then value.finite?
      when Integer then value.bit_length < 63
      else true
      end
    end

    def literal(value)
      case value
      when nil then 'undef'
      when Hash then "{#{value.map { |key, item| "#{literal(key)} => #{literal(item)}" }.join(', ')}}"
      when Array then "[#{value.map { |item| literal(item) }.join(', ')}]"
      when String then "'#{value.gsub(/['\\]/) { |it| "\\#{it}" }}'"
      else value.to_s
      end
    end
  end

  # One run: classes, two sides, a comparison.
  class Run
    NODES = %w[Debian RedHat FreeBSD].map { |it| { 'clientcert' => "#{it.downcase}.example.com", 'kernel' => 'Linux',
                                                   'os' => { 'family' => it, 'name' => it, 'release' => { 'major' => '12', 'full' => '12.1' } } } }

    def initialize(options)
      @options = options
      @counts = Hash.new(0)
      @differences = []
    end

    def run
      Dir.mktmpdir('parameters') do |directory|
        @root = File.join(directory, 'production')
        FileUtils.mkdir_p(File.join(@root, 'modules'))
        environment = Environment.new(@root, @options[:seed])
        if @options[:modulepath]
          File.write(File.join(@root, 'environment.conf'), "modulepath = #{@options[:modulepath]}\n")
          environment.feed(classes_of_modules)
        else
          environment.make_classes(@options[:classes], @options[:seed])
        end
        NODES.each { |facts| compare_all(environment.names, facts) }
      end
      report
    end

    private

    def classes_of_modules
      @options[:modulepath].split(':').flat_map { |directory| records(directory) }.select do |it|
        it['kind'] == 'class' && (@options[:modules].empty? || @options[:modules].include?(it['name'][/\A\w+/]))
      end
    end

    def records(directory)
      output, = Open3.capture2(@options[:binary], 'classes', '--root', directory, '--render-as', 'jsonl')
      output.lines.map { |line| JSON.parse(line) }
    end

    def compare_all(names, facts)
      @binder ||= Binder.new
      ours = our_answers(names, facts)
      names.each { |name| compare(name, @binder.bind(@root, name, facts), ours.fetch(name), facts) }
    end

    def our_answers(names, facts)
      path = File.join(@root, 'facts.json')
      File.write(path, JSON.generate(facts))
      arguments = ['lookup', '--root', @root, '--facts', path, '--puppet-version', Puppet.version[/\A\d+/], '--render-as', 'jsonl']
      lines = names.each_slice(500).flat_map do |some|
        output, = Open3.capture2(@options[:binary], *arguments, *some.flat_map { |name| ['--class', name] })
        output.lines
      end
      lines.map { |line| JSON.parse(line, max_nesting: 0) }.group_by { |it| it['class'] }
    end

    def compare(name, theirs, records, facts)
      closing = records.find { |it| !it.key?('param') }
      parameters = records - [closing]
      kind, is_same = theirs.is_a?(Hash) ? taken(theirs, parameters, closing) : refused(theirs, parameters, closing)
      @counts[kind] += 1
      @counts[:different] += 1 unless is_same
      @differences << "#{name} for #{facts['clientcert']}\n  puppet #{JSON.generate(theirs)}\n  ours   #{JSON.generate(records)}" unless is_same
    end

    def taken(theirs, parameters, closing)
      known = parameters.reject { |it| it['from'] == 'code' }
      wrong = known.reject { |it| it['value'] == theirs[it['param']] && it['error'].nil? }
      [:taken, wrong.empty? && %w[ok unknown].include?(closing['status'])]
    end

    # The reason for the refusal may be an expression, or a type that only Puppet can read; files that Puppet cannot read have other
    # errors.
    def refused(error, parameters, closing)
      return [:refused, true] if closing['error'] == error
      return [:undecided, true] if error.start_with?('Evaluation Error:')

      unsure = parameters.select { |it| it['status'] == 'unknown' }
      is_of_class = error.start_with?('Class[')
      return [:undecided, unsure.any? || !closing['error'].to_s.start_with?('Class[')] unless is_of_class
      return [:refused, false] if unsure.empty?

      lines = closing['error'].to_s.delete_prefix("#{error[/\AClass\[.*?\]:/]}").lines.map(&:strip)
      [:undecided, lines.all? { |line| error.include?(line) }]
    end

    def report
      @differences.first(@options[:show]).each { |it| puts it }
      puts "seed #{@options[:seed]}: #{@counts}"
      exit(@counts[:different].zero? ? 0 : 1)
    end
  end
end

options = { binary: File.join(__dir__, '../../target/debug/hiera-ls'), seed: Random.new_seed % 1_000_000, classes: 300, show: 5, modules: [] }
OptionParser.new do |it|
  it.on('--binary PATH') { |value| options[:binary] = value }
  it.on('--seed N', Integer) { |value| options[:seed] = value }
  it.on('--classes N', Integer) { |value| options[:classes] = value }
  it.on('--show N', Integer) { |value| options[:show] = value }
  it.on('--modulepath DIRS') { |value| options[:modulepath] = value }
  it.on('--module NAME') { |value| options[:modules] << value }
end.parse!
Conformance::Run.new(options).run
