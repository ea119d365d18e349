#!/usr/bin/env ruby
# frozen_string_literal: true

# Writes src/facts/core_facts.txt, the table of Facter's core facts, from real fact sets.
#
#   ruby tests/conformance/core_facts.rb [--check] DIRECTORY
#
# DIRECTORY contains fact sets as in the gem facterdb: `VERSION/*.facts`, flat JSON (Debian: `apt install facterdb`, then
# /usr/share/rubygems-integration/all/gems/facterdb-*/facts). Only sets of Facter 3 and later are read, because only structured facts count.
# A line is a dotted path, with the first and the last version of Facter whose sets have it. `*` is a name that machines choose,
# such as that of an interface. --check writes nothing, and fails if the table would change.

require 'json'

TABLE = File.expand_path('../../src/facts/core_facts.txt', __dir__)

# Facter's own facts; sets contain custom facts, too.
ROOTS = %w[
  aio_agent_version augeas disks dmi env_windows_installdir facterversion filesystems fips_enabled hypervisors identity is_virtual kernel
  kernelmajversion kernelrelease kernelversion load_averages memory mountpoints networking os partitions path processors ruby
  solaris_zones ssh system_profiler system_uptime timezone virtual
].freeze

# Below these, names are those of the machine.
CHOSEN = %w[networking.interfaces disks mountpoints partitions solaris_zones.zones].freeze

def paths(value, path, found)
  found << path
  return unless value.is_a?(Hash)

  value.each { |key, member| paths(member, "#{path}.#{CHOSEN.include?(path) ? '*' : key}", found) }
end

check = ARGV.delete('--check')
directory = ARGV.first or abort 'where are the fact sets?'
versions = Hash.new { |hash, path| hash[path] = [] }
Dir.glob('*/*.facts', base: directory).sort.each do |name|
  version = Gem::Version.new(File.dirname(name))
  next if version < Gem::Version.new('3')

  facts = JSON.parse(File.read(File.join(directory, name), encoding: 'UTF-8'))
  found = []
  facts.slice(*ROOTS).each { |root, value| paths(value, root, found) }
  found.uniq.each { |path| versions[path] << version }
end
lines = versions.sort.map { |path, seen| "#{path} #{seen.min} #{seen.max}\n" }
abort 'no fact sets were found there' if lines.empty?
text = lines.join
File.write(TABLE, text) unless check
puts "#{lines.size} facts"
exit(File.read(TABLE) == text)
