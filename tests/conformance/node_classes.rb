#!/usr/bin/env ruby
# frozen_string_literal: true

# Compiles catalogs for the nodes of random environments with real Puppet, and compares their classes with `hiera-ls classes --node`:
# each certain class must be in the catalog, and each class of the catalog must be certain or possible.
#
#   ruby -W0 tests/conformance/node_classes.rb [--binary PATH] [--seed N] [--catalogs 300] [--show 3] [--keep DIR]
#   ruby -W0 tests/conformance/node_classes.rb --environment DIR       an existing environment with its fact sets
#
# Puppet runs in this process: Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder. Catalogs that Puppet
# refuses are left out. Missing classes are ignored if hiera-ls lists calls whose classes are not known.

require 'open3'
require 'optparse'
require_relative 'puppet_lookup'
require_relative 'node_classes/generator'

module Conformance
  module NodeClasses
    # Real Puppet: the classes in catalogs.
    class Catalogs < PuppetLookup
      # Sorted names, or nil if Puppet refuses the code.
      def classes(root, name, facts, enc)
        Puppet.override(context(root), 'one catalog') do
          Puppet[:code] = ''
          environment = Puppet.lookup(:current_environment)
          catalog = Puppet::Parser::Compiler.new(made_node(environment, name, facts, enc)).compile
          catalog.classes.map(&:downcase).uniq.reject { |it| it.start_with?('__node_') || it.include?('.') }.sort - %w[settings default]
        end
      rescue Puppet::Error, Puppet::DataBinding::LookupError
        nil
      end

      private

      def context(root)
        conf = Puppet::Settings::EnvironmentConf.load_from(root, [])
        modulepath = conf.modulepath.split(File::PATH_SEPARATOR).reject(&:empty?)
        environment = Puppet::Node::Environment.create(ENVIRONMENT.to_sym, modulepath, File.join(root, 'manifests'))
        loader = Puppet::Environments::StaticDirectory.new(ENVIRONMENT.to_sym, root, environment)
        { environments: Puppet::Environments::Cached.new(loader), current_environment: environment }
      end

      def made_node(environment, name, facts, enc)
        facts = Puppet::Node::Facts.new(name, Marshal.load(Marshal.dump(facts)))
        facts.sanitize
        node = Puppet::Node.new(name, environment: environment, facts: facts, classes: (enc || {})['classes'] || [])
        node.merge((enc || {})['parameters'] || {})
        node.merge(facts.values)
        node.add_server_facts('serverversion' => Puppet.version, 'servername' => name, 'environment' => ENVIRONMENT)
        node.trusted_data = trusted(name)
        node
      end
    end

    # One run: environments, catalogs, comparisons.
    class Run
      def initialize(options)
        @options = options
        @puppet = Catalogs.new
        @counts = Hash.new(0)
        @shown = 0
      end

      def run
        @options[:environment] ? real(File.expand_path(@options[:environment])) : random
        puts "seed #{@options[:seed]}, Puppet #{Puppet.version}: #{@counts[:same]} catalogs have the classes that they are said to have " \
             "(#{@counts[:certain]} certain, #{@counts[:possible]} possible, of these #{@counts[:taken]} are there), " \
             "#{@counts[:different]} have not; Puppet refuses #{@counts[:refused]}"
        @counts[:different].zero? && (@options[:environment] || @counts[:same] > @counts[:refused] / 4)
      end

      private

      def random
        number = 0
        while @counts.values_at(:same, :different).sum < @options[:catalogs]
          seed = (@options[:seed] * 100_000) + number
          Dir.mktmpdir('classes') do |directory|
            root = File.join(File.realpath(directory), 'production')
            generator = Generator.new(seed)
            generator.write(root)
            compare_all(root, generator.nodes, seed)
          end
          number += 1
        end
      end

      def real(root)
        facts = Dir.glob(File.join(root, '.hiera-ls/facts/*.json')).sort
        nodes = facts.map { |it| { 'name' => File.basename(it, '.json'), 'facts' => JSON.parse(File.read(it)) } }
        compare_all(root, nodes, root)
      end

      def compare_all(root, nodes, seed)
        output, status = Open3.capture2(@options[:binary], 'classes', '--root', root, '--node', 'all', '--render-as', 'jsonl')
        raise "#{@options[:binary]} failed" unless status.success?

        said = output.lines.to_h { |line| JSON.parse(line).then { |it| [it['node'], it] } }
        nodes.each { |node| compare(root, node, said.fetch(node['name']), seed) }
      end

      def compare(root, node, said, seed)
        theirs = @puppet.classes(root, node['name'], node['facts'], node['enc'])
        return @counts[:refused] += 1 unless theirs

        certain, possible = said['classes'].partition { |it| it['certain'] }.map { |part| part.map { |it| it['name'] } }
        wrong = certain - theirs
        missing = said['others'].empty? ? theirs - certain - possible : []
        @counts[:certain] += certain.size
        @counts[:possible] += possible.size
        @counts[:taken] += (possible & theirs).size
        return @counts[:same] += 1 if wrong.empty? && missing.empty?

        @counts[:different] += 1
        tell(root, node['name'], wrong, missing, seed)
      end

      def tell(root, name, wrong, missing, seed)
        return if (@shown += 1) > @options[:show]

        puts "environment #{seed}, #{name}: certain but not there #{wrong}, there but not named #{missing}"
        return unless @options[:keep]

        FileUtils.mkdir_p(@options[:keep])
        FileUtils.cp_r(root, File.join(@options[:keep], seed.to_s)) unless File.exist?(File.join(@options[:keep], seed.to_s))
      end
    end
  end
end

options = { binary: 'target/debug/hiera-ls', seed: Random.new_seed % 1_000_000, catalogs: 300, show: 3 }
OptionParser.new do |parser|
  parser.on('--binary PATH') { |it| options[:binary] = File.expand_path(it) }
  parser.on('--seed N', Integer) { |it| options[:seed] = it }
  parser.on('--catalogs N', Integer) { |it| options[:catalogs] = it }
  parser.on('--show N', Integer) { |it| options[:show] = it }
  parser.on('--keep DIR') { |it| options[:keep] = it }
  parser.on('--environment DIR') { |it| options[:environment] = it }
end.parse!
exit(Conformance::NodeClasses::Run.new(options).run)
