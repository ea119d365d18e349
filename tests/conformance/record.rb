#!/usr/bin/env ruby
# frozen_string_literal: true

# Runs every query of the conformance cases with real Puppet and records the answers.
#
#   ruby tests/conformance/record.rb [--check] [SECTION/NAME ...]
#
# The answers go to expected/SECTION/NAME.p7.jsonl or .p8.jsonl, by the version of the Puppet that `require` finds:
# Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder. The strictness is that version's
# default. `--check` writes nothing, prints what would change and exits with 1 if anything would.
# The first line of an answer file names the versions; every other line is the answer to one query, in the order of the case file.

require 'json'
require_relative 'case_file'
require_relative 'puppet_lookup'

ROOT = __dir__

def answer_file(name, major)
  File.join(ROOT, 'expected', "#{name}.p#{major}.jsonl")
end

def header
  JSON.generate({ 'puppet' => Puppet.version, 'ruby' => RUBY_VERSION, 'psych' => Psych::VERSION,
                  'libyaml' => Psych::LIBYAML_VERSION })
end

def answers(puppet, name)
  text = File.read(File.join(ROOT, 'cases', "#{name}.case"), encoding: 'utf-8')
  lines = Conformance.parse(text).flat_map do |one|
    puppet.answer(one).map { |answer| JSON.generate({ 'case' => one.name }.merge(answer)) }
  end
  lines.unshift(header)
end

# The differences, except the versions in the first line.
def differences(name, old, new)
  width = [old.size, new.size].max
  (1...width).filter_map do |index|
    next if old[index] == new[index]

    "#{name}:\n  recorded: #{old[index]}\n  puppet:   #{new[index]}"
  end
end

check = ARGV.delete('--check')
names = ARGV.map { |name| name.delete_suffix('.case') }
if names.empty?
  names = Dir.glob('**/*.case', base: File.join(ROOT, 'cases')).sort.map { |file| file.delete_suffix('.case') }
end

puppet = Conformance::PuppetLookup.new
major = Puppet.version.to_i
changed = 0
queries = 0
names.each do |name|
  lines = answers(puppet, name)
  queries += lines.size - 1
  file = answer_file(name, major)
  recorded = File.exist?(file) ? File.readlines(file, chomp: true, encoding: 'utf-8') : []
  found = differences(name, recorded, lines)
  changed += found.size
  puts found if check
  next if check || found.empty? && recorded.size == lines.size

  FileUtils.mkdir_p(File.dirname(file))
  File.write(file, "#{lines.join("\n")}\n")
end
puts "Puppet #{Puppet.version}: #{names.size} case files, #{queries} queries, #{changed} answers differ from the recorded ones"
exit 1 if check && changed.positive?
