#!/usr/bin/env ruby
# frozen_string_literal: true

# Compares random lookups in random environments: real Puppet and hiera-ls.
#
#   ruby tests/conformance/fuzz.rb [--binary PATH] [--seed N] [--lookups 5000] [--puppet-version 7|8]
#                                  [--environment N] [--show 5] [--texts] [--quick]
#
# Puppet runs in this process: Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder.
# The status and the value of each answer must be the same. Error messages are compared as well, and the share of equal ones is
# reported. A difference is reduced and printed as a conformance case, which is also a fixture of our tests; `--quick` prints it
# without reducing it. `--environment N` tests only the Nth environment of the seed.
# `--texts` also shows the differences between error messages.

require 'json'
require 'optparse'
require_relative 'case_file'
require_relative 'puppet_lookup'
%w[chance vocabulary values writer hierarchy environment sides known_difference shrink].each { |part| require_relative "fuzz/#{part}" }

module Conformance
  module Fuzz
    # One run of the fuzzer.
    class Run
      def initialize(options)
        @options = options
        @puppet = PuppetSide.new
        @ours = OurSide.new(options[:binary], options[:version] || Puppet.version.to_i)
        @passed = @errors = 0
        @failed = []
        @texts = Hash.new { |hash, key| hash[key] = [] }
        @statuses = Hash.new(0)
        @order_dependent = @unsupported = @unanswered = @known = 0
      end

      def run
        numbers.each do |number|
          break if done?

          environment(number)
        end
        report
        @failed.empty?
      end

      private

      def numbers
        @options[:environment] ? [@options[:environment]] : 0..
      end

      def done?
        @passed + @failed.size >= @options[:lookups]
      end

      def environment(number)
        one = Environment.new((@options[:seed] * 1_000_003) + number).to_case("seed #{@options[:seed]} environment #{number}")
        LaidOut.open(one) do |laid_out|
          theirs = @puppet.ask_all(laid_out, one.queries)
          # If every lookup fails, a few queries are enough.
          queries = broken?(theirs) ? one.queries.first(4) : one.queries
          ours = @ours.ask_all(laid_out, queries)
          queries.zip(theirs, ours) { |query, their, our| compare(one, laid_out, query, their, our) }
        end
      end

      def broken?(answers)
        answers.count { |answer| answer['status'] == 'error' } > answers.size * 2 / 3
      end

      def compare(one, laid_out, query, theirs, ours)
        return @unanswered += 1 if theirs['status'] == 'no answer'

        difference = Difference.of(theirs, ours)
        # A merge with knockouts changes Puppet's cache, so the answer of a fresh compiler is used.
        if difference
          fresh = @puppet.ask_all(laid_out, [query]).first
          again = Difference.of(fresh, ours)
          @order_dependent += 1 if again != difference
          return @unanswered += 1 if fresh['status'] == 'no answer'

          theirs = fresh
          difference = again
        end
        return @unsupported += 1 if ours['error_class'] == 'HieraLs::Unsupported'
        return @known += 1 if difference.is_a?(String) && KnownDifference.any?(theirs, ours)

        @statuses[theirs['status']] += 1
        @errors += 1 if theirs['status'] == 'error'
        return fail(one, query, theirs, ours, difference) if difference.is_a?(String)

        @passed += 1
        @texts[shape(theirs['error'])] << [one, query, theirs, ours] if difference == :text
      end

      def fail(one, query, theirs, ours, difference)
        @failed << difference
        show(one, query, theirs, ours, difference) if @failed.size <= @options[:show]
      end

      # A message without the parts that differ from environment to environment.
      def shape(message)
        message.lines.first(2).join.gsub(/'[^']*'|"[^"]*"|\$\{\w+\}\S*|\d+/, '*')[0, 120]
      end

      def show(one, query, theirs, ours, difference)
        small = Case.new(name: one.name, files: one.files.merge('/queries' => "#{JSON.generate(query)}\n"))
        unless @options[:quick]
          small = Shrink.new(small, sort(theirs, ours)) { |candidate| sort(*answers(candidate)) }.run
          theirs, ours = answers(small)
        end
        puts "#= #{small.name}", fixture(small), "# puppet: #{one_line(theirs)}", "# ours:   #{one_line(ours)}"
        show_explanations(theirs['explain'], ours['explain']) if difference == 'explanations'
        puts
        $stdout.flush
      end

      def one_line(answer)
        JSON.generate(answer.except('explain'))
      end

      # From the first line that differs.
      def show_explanations(theirs, ours)
        theirs, ours = [theirs, ours].map { |text| text.to_s.lines }
        first = (0..).find { |index| theirs[index] != ours[index] }
        puts '# before:', theirs[[first - 4, 0].max...first], '# puppet:', theirs[first, 8], '# ours:', ours[first, 8]
      end

      def answers(one)
        LaidOut.open(one) { |laid_out| [@puppet, @ours].map { |side| side.ask_all(laid_out, one.queries).first } }
      end

      # The part of a difference that must stay the same while the case is reduced.
      def sort(theirs, ours)
        [Difference.of(theirs, ours), *[theirs, ours].map { |answer| shape(answer['error'] || '')[0, 60] }]
      end

      def fixture(one)
        one.files.map { |path, body| "#- #{path}\n#{body}#{"\n" unless body.end_with?("\n") || body.empty?}" }.join
      end

      def report
        if @options[:texts]
          @texts.sort_by { |_, list| -list.size }.first(@options[:show]).each do |shape, list|
            puts "#{list.size} messages like: #{shape}"
            show(*list.first, :text)
          end
        end
        different = @texts.sum { |_, list| list.size }
        share = @errors.zero? ? 100.0 : 100.0 * (@errors - different) / @errors
        puts "Puppet #{Puppet.version}, seed #{@options[:seed]}: #{@statuses.map { |name, count| "#{count} #{name}" }.join(', ')}; " \
             "#{format('%.2f', share)} % of #{@errors} error messages are equal; #{@order_dependent} answers of Puppet depended on earlier questions; #{@unsupported} conversions are not known here; Puppet gave no answer in #{PuppetSide::PATIENCE} s to #{@unanswered}; #{@known} differ as docs/puppet-differences.md says"
        puts "#{@passed} passed, #{@failed.size} failed"
      end
    end
  end
end

options = { binary: File.join(__dir__, '../../target/debug/hiera-ls'), seed: Random.new_seed % 1_000_000, lookups: 5000, show: 5 }
OptionParser.new do |parser|
  parser.on('--binary PATH', '--hiera-ls PATH') { |value| options[:binary] = File.expand_path(value) }
  parser.on('--seed N', Integer) { |value| options[:seed] = value }
  parser.on('--lookups N', Integer) { |value| options[:lookups] = value }
  parser.on('--puppet-version N', Integer) { |value| options[:version] = value }
  parser.on('--environment N', Integer) { |value| options[:environment] = value }
  parser.on('--show N', Integer) { |value| options[:show] = value }
  parser.on('--texts') { options[:texts] = true }
  parser.on('--quick') { options[:quick] = true }
end.parse!
puts "seed #{options[:seed]}"
exit Conformance::Fuzz::Run.new(options).run
