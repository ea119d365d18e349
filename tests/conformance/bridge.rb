#!/usr/bin/env ruby
# frozen_string_literal: true

# Compares lookups of real Puppet with those of hiera-ls with its bridge, in environments that define lookup functions.
#
#   ruby tests/conformance/bridge.rb [--binary PATH] [NAME ...]
#
# The cases are in bridge/*.case, in the form that case_file.rb explains. Each query runs with its own compiler and an explanation;
# then all queries of a case run with one compiler. Values, errors and explanations must be equal. The functions also write to the
# file that HIERA_LS_RECORD names; these records must be equal too: how often functions are called, in which order, with what.
# The last line is `N passed, M failed`, which counts queries and records.

require 'json'
require_relative 'case_file'
require_relative 'puppet_lookup'
require_relative 'fuzz/sides'

module Conformance
  # hiera-ls, which may run the functions of the environment.
  class BridgeSide < Fuzz::OurSide
    private

    def command(laid_out)
      File.write(File.join(laid_out.environment, '.hiera-ls.yaml'), JSON.generate('backends' => { 'bridge' => bridge }))
      [*super, '--trust']
    end

    def bridge
      { 'enabled' => true, 'ruby' => RbConfig.ruby, 'timeout' => 30 }
    end
  end

  # The records of functions while the block ran, and the result of the block.
  def self.recorded(laid_out)
    record = laid_out.file('record')
    File.write(record, '')
    ENV['HIERA_LS_RECORD'] = record
    given = yield
    [given, File.readlines(record, chomp: true).map { |line| laid_out.mask([line]).first }]
  end

  # Both sides of one case.
  class Comparison
    attr_reader :passed, :failed

    def initialize(puppet, ours)
      @puppet = puppet
      @ours = ours
      @passed = @failed = 0
    end

    def run(file, one)
      Fuzz::LaidOut.open(one) do |laid_out|
        explained = one.queries.map { |query| query.merge('explain' => true) }
        { 'explained' => explained, 'together' => one.queries }.each do |how, queries|
          label = "#{file} #{one.name} (#{how})"
          theirs, their_record = Conformance.recorded(laid_out) { @puppet.ask_all(laid_out, queries) }
          answers, our_record = Conformance.recorded(laid_out) { @ours.ask_all(laid_out, queries) }
          queries.zip(theirs, answers) { |query, their, our| compare("#{label} #{query['key']}", their, our) }
          compare_records(label, their_record, our_record)
        end
      end
    end

    private

    def compare(label, theirs, ours)
      parts = %w[status value error error_class explain]
      tell(label, JSON.pretty_generate(theirs.slice(*parts).compact), JSON.pretty_generate(ours.slice(*parts).compact))
    end

    def compare_records(label, theirs, ours)
      tell("#{label} record", theirs.join("\n"), ours.join("\n")) unless theirs.empty? && ours.empty?
    end

    def tell(label, theirs, ours)
      return @passed += 1 if theirs == ours

      @failed += 1
      puts "#{label}:", '  Puppet:', theirs.gsub('\n', "\n").gsub(/^/, '    '), '  hiera-ls:', ours.gsub('\n', "\n").gsub(/^/, '    ')
    end
  end
end

binary = File.join(__dir__, '../../target/debug/hiera-ls')
binary = ARGV.slice!(ARGV.index('--binary'), 2).last if ARGV.include?('--binary')
names = ARGV.map { |name| File.basename(name, '.case') }
folder = File.join(__dir__, 'bridge')
names = Dir.glob('*.case', base: folder).sort.map { |file| file.delete_suffix('.case') } if names.empty?
comparison = Conformance::Comparison.new(Conformance::Fuzz::PuppetSide.new,
                                         Conformance::BridgeSide.new(File.expand_path(binary), Puppet.version.to_i))
names.each do |name|
  cases = Conformance.parse(File.read(File.join(folder, "#{name}.case"), encoding: 'utf-8'))
  cases.each { |one| comparison.run(name, one) }
end
puts "#{comparison.passed} passed, #{comparison.failed} failed"
exit(1) if comparison.failed.positive?
