#!/usr/bin/env ruby
# frozen_string_literal: true

# Makes real users' mistakes in environments, one at a time, and counts how many of them `hiera-ls check` finds.
#
#   ruby tests/conformance/mistakes.rb [--binary PATH] [--each 2] [--kind NAME] [--verbose] [ENVIRONMENT...]
#
# The environments are the sample repository, those of mistakes/environments.case, and directories on the command line (with facts
# in `facts.*.json`). mistakes/kinds.rb describes how each kind of mistake is made, and at which places of an environment.
# Puppet decides what is a mistake: a lookup fails, or returns another value than before. A mistake is found if `check` at its
# default severity reports something new in the file of the mistake and near its line, or a new finding points there.
# Every mistake that makes a lookup fail must be found, and nine of ten of all. Nothing here is random: places are spread evenly
# over the list. Puppet runs in this process: Debian's 7.23 as it is installed, or Puppet 8 with
# RUBYLIB set to its lib folder.

require 'etc'
require 'json'
require 'open3'
require 'optparse'
%w[environments judge kinds].each { |part| require_relative "mistakes/#{part}" }

module Conformance
  module Mistakes
    # The maximum distance of a finding from the change, in lines.
    NEAR = 3
    # The maximum number of places that are tried until Puppet confirms one.
    TRIES = 6

    # `hiera-ls check` in a directory.
    class Check
      def initialize(binary)
        @binary = binary
      end

      # `[path, line, code, message, related places]` of each finding.
      def findings(root)
        output, status = Open3.capture2(@binary, 'check', '--root', root, '--format', 'json', '--exit-zero')
        abort "#{@binary} failed on #{root}" unless status.success?
        JSON.parse(output).map { |it| [it['path'], it.dig('start', 'line'), it['code'], it['message'], it['related'].to_a] }
      end
    end

    # One mistake that Puppet confirmed.
    Mistake = Struct.new(:kind, :environment, :place, :fails, :found, keyword_init: true)

    # Makes the mistakes and counts them.
    class Run
      def initialize(options)
        @options = options
        @check = Check.new(options[:binary])
        @judge = Judge.new
        @mistakes = []
        @unconfirmed = Hash.new(0)
        @checks = Queue.new
      end

      def run(directories)
        workers = Array.new(Etc.nprocessors) { Thread.new { work } }
        Mistakes.environments(directories) { |environment| environment(environment) }
        workers.size.times { @checks << nil }
        workers.each(&:join)
        report
      end

      private

      def environment(environment)
        original = environment.answers(@judge).to_h
        before = @check.findings(environment.root)
        KINDS.each do |kind|
          next if @options[:kind] && kind.name != @options[:kind]

          confirmed = 0
          spread(kind.edits(environment).to_a, TRIES).each do |edit|
            break if confirmed == @options[:each]

            confirmed += 1 if confirmed?(kind, environment, edit, original, before)
          end
          @unconfirmed[kind.name] += 0
        end
      end

      # At most `count` items, spread evenly over the list.
      def spread(list, count)
        return list if list.size <= count

        Array.new(count) { |at| list[at * (list.size - 1) / (count - 1)] }
      end

      # Writes the mistake, and runs `check` if Puppet confirms it.
      def confirmed?(kind, environment, edit, original, before)
        copy = environment.with(edit)
        verdict = @judge.compare(original, copy.answers(@judge, edit.keys))
        if verdict
          mistake = Mistake.new(kind: kind, environment: environment.name, place: "#{edit.path}:#{edit.line}", fails: verdict == :fails)
          @mistakes << mistake
          @checks << [mistake, copy, edit, before]
        else
          @unconfirmed[kind.name] += 1
          copy.remove
        end
        verdict
      end

      def work
        while (task = @checks.pop)
          mistake, copy, edit, before = task
          mistake.found = new_findings(before, @check.findings(copy.root)).select { |finding| edit.near?(finding, NEAR) }
          copy.remove
        end
      end

      # Findings may have moved to other lines.
      def new_findings(before, after)
        known = before.map { |path, _, code, message| [path, code, message] }.tally
        after.reject do |path, _, code, message|
          finding = [path, code, message]
          known.key?(finding) && (known[finding] -= 1) >= 0
        end
      end

      def report
        @mistakes.each { |it| tell(it) if it.found.empty? || @options[:verbose] }
        unused = KINDS.map(&:name) - @mistakes.map { |it| it.kind.name }
        puts "never confirmed: #{unused.join(', ')}" if unused.any? && !@options[:kind]
        fatal, quiet = @mistakes.partition(&:fails)
        puts "Puppet #{Puppet.version}: #{@mistakes.size} mistakes of #{@mistakes.map(&:kind).uniq.size} kinds; " \
             "#{share(fatal)} found of those that make a lookup fail, #{share(quiet)} of those that change an answer, " \
             "#{share(@mistakes)} of all"
        fatal.all? { |it| it.found.any? } && found(@mistakes) >= 0.9 * @mistakes.size
      end

      def share(mistakes)
        "#{found(mistakes)} of #{mistakes.size} (#{mistakes.empty? ? '-' : 100 * found(mistakes) / mistakes.size} %)"
      end

      def found(mistakes)
        mistakes.count { |it| it.found.any? }
      end

      def tell(mistake)
        effect = mistake.fails ? 'lookup fails' : 'other answer'
        codes = mistake.found.map { |it| it[2] }.uniq
        puts "#{codes.empty? ? 'MISSED' : 'found '}  #{mistake.kind.name} (#{effect}): " \
             "#{mistake.environment}/#{mistake.place}#{"  #{codes.join(', ')}" if codes.any?}"
      end
    end
  end
end

options = { binary: 'target/debug/hiera-ls', each: 2 }
OptionParser.new do |parser|
  parser.on('--binary PATH') { |it| options[:binary] = File.expand_path(it) }
  parser.on('--each N', Integer) { |it| options[:each] = it }
  parser.on('--kind NAME') { |it| options[:kind] = it }
  parser.on('--verbose') { options[:verbose] = true }
end.parse!
exit(Conformance::Mistakes::Run.new(options).run(ARGV))
