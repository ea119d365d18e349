# frozen_string_literal: true

# Real Puppet, in this process, asked for all keys of some nodes, and what that costs.
#
#   ruby benches/compare/puppet_fleet.rb ENVIRONMENT KEYS FACTS...
#
# KEYS is a file with a key on each line, each of FACTS a fact set. Prints one line of JSON: the seconds of CPU time that it
# took to start, those of each node, and how many answers there were.

require 'json'
require_relative '../../tests/conformance/puppet_lookup'

# Asks for many keys with one compiler for each node, as a server does.
class PuppetFleet < Conformance::PuppetLookup
  Facts = Struct.new(:facts) do
    def json(_path, default)
      default
    end
  end

  def seconds_of(environment, facts, keys)
    Puppet[:hiera_config] = File.join(@work, 'none.yaml')
    before = cpu
    in_compiler(environment, Facts.new(facts)) do |scope|
      keys.each { |key| look_up(Puppet::Pops::Lookup::Invocation.new(scope, {}, {}, nil), { 'key' => key }) }
    end
    @messages.clear
    cpu - before
  end

  def cpu
    Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  end
end

environment, keys, *fact_sets = ARGV
keys = File.readlines(keys, chomp: true)
fleet = PuppetFleet.new
start = fleet.cpu
nodes = fact_sets.map do |path|
  facts = JSON.parse(File.read(path)).merge('clientcert' => File.basename(path, '.json'))
  fleet.seconds_of(File.expand_path(environment), facts, keys)
end
puts JSON.generate(start: start, nodes: nodes, answers: keys.length * nodes.length)
