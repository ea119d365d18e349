#!/usr/bin/env ruby
# frozen_string_literal: true

# Compares real Puppet with `hiera-ls type-check`: does a random value belong to a random type?
#
#   ruby tests/conformance/types.rb [--binary PATH] [--seed N] [--pairs 20000] [--modulepath A:B] [--show 5] [--texts]
#   ruby tests/conformance/types.rb --record
#
# Puppet runs in this process: Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder.
# For every pair, the verdict must be the same, and both sides must have a message or none. 98 % of the messages must be equal.
# With --modulepath, the aliases of these modules are tested as well. --texts shows messages that differ.
# --record writes Puppet's answers to the pairs in types/examples.jsonl, and to some random ones, to types/expected.jsonl: `cargo test`
# compares ours with these, without Ruby.

require 'json'
require 'open3'
require 'optparse'
require 'tmpdir'
%w[judge generator].each { |part| require_relative "types/#{part}" }

module Conformance
  module Types
    # The share of messages that must be equal.
    SAME_MESSAGES = 0.98

    # Ruby's errors in the middle of a description: Puppet adds to bounds that do not exist. Whether this happens depends on the order of
    # a variant's types, and so on which of them are the same object and not only equal.
    STUMBLES = /for nil|with nil|adjacent\?/

    # Puppet's answers, for tests that have no Ruby. Long ones are left out.
    module Recording
      EXAMPLES = File.join(__dir__, 'types', 'examples.jsonl')
      EXPECTED = File.join(__dir__, 'types', 'expected.jsonl')
      LONGEST = 260

      def self.write
        Dir.mktmpdir('types') do |directory|
          random = Generator.new(1, Aliases.write(directory)).pairs(2000)
          pairs = File.readlines(EXAMPLES).map { |line| JSON.parse(line) } + random
          answers = Judge.new(directory).answers(pairs)
          lines = pairs.zip(answers).map { |pair, answer| JSON.generate(pair.merge(answer.except('error')), max_nesting: 0) }
          File.write(EXPECTED, lines.select { |line| line.size <= LONGEST }.uniq.map { |line| "#{line}\n" }.join)
        end
      end
    end

    # One run: queries, two sides, a comparison.
    class Run
      def initialize(options)
        @options = options
        @verdicts = []
        @texts = []
        @counts = Hash.new(0)
      end

      def run
        Dir.mktmpdir('types') do |directory|
          aliases = Aliases.write(directory)
          path = [directory, *@options[:modulepath]&.split(':')].join(':')
          aliases += Aliases.names(@options[:modulepath].split(':')) if @options[:modulepath]
          pairs = Generator.new(@options[:seed], aliases).pairs(@options[:pairs])
          theirs = Judge.new(path).answers(pairs)
          ours = our_answers(path, pairs)
          pairs.each_index { |index| compare(pairs[index], theirs[index], ours[index]) }
        end
        report
      end

      private

      def our_answers(path, pairs)
        input = pairs.map { |pair| "#{JSON.generate(pair, max_nesting: 0)}\n" }.join
        output, status = Open3.capture2(@options[:binary], 'type-check', '--modulepath', path, '--render-as', 'jsonl', stdin_data: input)
        raise "type-check ended with #{status}" unless status.success?

        answers = output.lines.map { |line| JSON.parse(line, max_nesting: 0) }
        raise "#{pairs.size} questions, #{answers.size} answers" unless answers.size == pairs.size

        answers
      end

      def compare(pair, theirs, ours)
        kind = theirs['ok'].nil? ? 'no type' : theirs['ok'].to_s
        @counts[kind] += 1
        same = theirs['ok'] == ours['ok'] && theirs['message'].nil? == ours['message'].nil?
        return stumbled_or_different(pair, theirs, ours) unless same
        return if theirs['message'].nil?

        @counts['messages'] += 1
        @texts << [pair, theirs, ours] unless theirs['message'] == ours['message']
      end

      def stumbled_or_different(pair, theirs, ours)
        return @verdicts << [pair, theirs, ours] unless [theirs, ours].any? { |answer| answer['error']&.match?(STUMBLES) }

        @counts['stumbles'] += 1
      end

      def report
        show(@verdicts)
        show(@texts) if @options[:texts]
        same = @counts['messages'].zero? ? 1.0 : 1 - (@texts.size.to_f / @counts['messages'])
        puts "seed #{@options[:seed]}, Puppet #{Puppet.version}: #{@counts['true']} values belong, #{@counts['false']} do not, " \
             "#{@counts['no type']} types are none"
        puts "Puppet stumbled where hiera-ls did not, or the other way round: #{@counts['stumbles']}"
        puts "verdicts: #{@verdicts.size} differ; messages: #{@texts.size} of #{@counts['messages']} differ (#{(same * 100).round(3)} % are the same)"
        @verdicts.empty? && same >= SAME_MESSAGES
      end

      def show(differences)
        differences.min_by(@options[:show]) { |pair, _, _| JSON.generate(pair, max_nesting: 0).size }.each do |pair, theirs, ours|
          puts "#{pair['type']} ~ #{JSON.generate(pair['value'], max_nesting: 0)}"
          puts "  Puppet    #{JSON.generate(theirs)}"
          puts "  hiera-ls  #{JSON.generate(ours)}"
        end
      end
    end
  end
end

options = { binary: 'target/debug/hiera-ls', seed: Random.new_seed % 1_000_000, pairs: 20_000, show: 5 }
OptionParser.new do |parser|
  parser.on('--binary PATH') { |it| options[:binary] = it }
  parser.on('--seed N', Integer) { |it| options[:seed] = it }
  parser.on('--pairs N', Integer) { |it| options[:pairs] = it }
  parser.on('--modulepath DIRS') { |it| options[:modulepath] = it }
  parser.on('--show N', Integer) { |it| options[:show] = it }
  parser.on('--texts') { options[:texts] = true }
  parser.on('--record') { options[:record] = true }
end.parse!
if options[:record]
  Conformance::Types::Recording.write
  exit
end
exit(Conformance::Types::Run.new(options).run)
