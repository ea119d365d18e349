# frozen_string_literal: true

# Looks up all keys of some nodes with real Puppet, in this process, and measures the cost.
#
#   ruby benches/compare/puppet_fleet.rb ENVIRONMENT KEYS FACTS...
#
# KEYS is a file with one key per line; each of FACTS is a fact set. Prints one line of JSON: the seconds of CPU time for the
# start and for each node, and the number of values.

require 'json'
require_relative '../../tests/conformance/puppet_lookup'

# Looks up many keys with one compiler for each node, as a server does.
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
