#!/usr/bin/env ruby
# frozen_string_literal: true

# Compares the cases that hiera-ls lists for any node with Puppet's values for random nodes.
#
#   ruby tests/conformance/cases.rb [--binary PATH] [--seed N] [--assignments 1000] [--seconds N] [--puppet-version 7|8]
#                                   [--number N] [--show 5] [--quick] [--environment DIR ...]
#
# Without facts, an answer is a list of cases, and the first case that fits applies. For each case, Puppet looks the key up with
# facts that fulfil this case and none before it. Then Puppet looks all keys up for nodes whose variables have random values.
# The first case that fits must equal Puppet's answer. Answers that say that they are not complete are only counted.
# Puppet runs in this process: Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder.
# The run ends after this number of assignments (nodes) in random environments; `--number N` tests only the Nth environment.
# `--environment DIR` tests that environment, with this number of random assignments for each directory.
# A difference is reduced and printed as a conformance case; `--quick` prints it without reducing it.

require 'json'
require 'optparse'
require_relative 'case_file'
require_relative 'puppet_lookup'
%w[chance vocabulary values writer hierarchy environment open_environment variables empty_names any_node sides shrink].each do |part|
  require_relative "fuzz/#{part}"
end

module Conformance
  module Fuzz
    # The program under test, for any node.
    class OurCases < OurSide
      private

      def run(laid_out, queries, options)
        return [] if queries.empty?

        lines = queries.map { |query| "#{JSON.generate(query)}\n" }.join
        output, errors, = Open3.capture3(*command(laid_out), *options, stdin_data: lines)
        answers = output.lines.map { |line| laid_out.mask(JSON.parse(line, max_nesting: false)) }
        answers + ([{ 'status' => 'no answer', 'error' => errors.lines.first(5).join }] * (queries.size - answers.size))
      end

      def command(laid_out)
        [@binary, 'lookup', '--root', laid_out.environment, '--environment', PuppetLookup::ENVIRONMENT, '--hiera-config',
         File.join(laid_out.global, 'hiera.yaml'), '--puppet-version', @version.to_s, '--keys-from', '-', '--render-as', 'jsonl']
      end
    end

    # An environment that is on the disk already.
    class Given < LaidOut
      def initialize(folder)
        super(Case.new(name: folder, files: { '/facts.json' => '{}' }))
        @environment = File.expand_path(folder)
      end

      def paths
        Dir.glob('**/*', base: @environment)
      end

      def texts
        paths.grep(/\.(ya?ml|json|eyaml)\z/).map { |path| File.binread(File.join(@environment, path)).force_encoding('UTF-8').scrub }
      end
    end

    # The answer of hiera-ls for one key.
    class Record
      attr_reader :query, :cases

      # `texts`: those of all files of the environment.
      def initialize(query, answer, texts)
        @query = query
        @answer = answer
        @texts = texts
        @cases = answer['status'] == 'depends' ? answer['cases'] : [answer.merge('if' => {})]
      end

      def complete?
        @answer.fetch('complete', true)
      end

      # Whether there is nothing to compare: back ends that are not evaluated, types that are not known, encrypted values.
      def unknown?
        @answer['status'] == 'no answer' ||
          @cases.any? { |it| it['status'] == 'unknown' || it['encrypted'] || it['error_class'] == 'HieraLs::Unsupported' }
      end

      def first_for(node)
        @cases.index { |it| node.fulfils?(it['if']) }
      end

      # The kind of the difference between this answer and Puppet's; `nil` if there is none that counts.
      def difference(node, theirs)
        found = unlike(node, theirs)
        found unless found && EmptyNames.new(@texts).leave_out?(node)
      end

      private

      def unlike(node, theirs)
        ours = @cases[first_for(node)]
        open = ours.fetch('open', [])
        # A variable that is open or may be empty counts as set, also if options for other keys read it.
        set = Variables.of_options(@texts) + open + ours['if'].select { |_, text| text == '' }.keys
        return if Puppet.version.to_i >= 8 && theirs['error'].to_s.include?('Undefined variable') && set.any? { |name| node.value_of(name).nil? }
        # Options that look themselves up are reported in other words, or late.
        return if theirs['error'].to_s.include?('Recursive lookup detected in [lookup_options]')
        # A hash that contains itself is only an error if Puppet reads all of it.
        return if ours['error_class'] == 'SystemStackError' && theirs['status'] != 'error'
        # Puppet takes a hash whose text is inside another text for a token if one of its keys contains `%{`.
        return if open.any? { |name| node.value_of(name).is_a?(Hash) && node.value_of(name).to_s.include?('%{') }
        return "#{theirs['status']}/#{ours['status']}" if theirs['status'] != ours['status']
        # If there are several errors, a layer that needs a missing variable may be named before the file of an earlier layer.
        return if theirs['status'] == 'error' && ours['if'].value?(nil)
        return theirs['error_class'] == ours['error_class'] ? nil : 'error class' if theirs['status'] == 'error'

        return 'left open' unless open.all? { |name| ours['if'][name].to_s.empty? }

        fillings = node.fillings(ours['value'], open).map { |it| Difference.text(it) }
        'values' unless fillings.include?(Difference.text(theirs['value']))
      end
    end

    # One run over random or given environments.
    class CasesRun
      # The maximum number of nodes that are tried until one gets a case.
      ATTEMPTS = 12
      # Random assignments of one random environment.
      RANDOM = 12

      def initialize(options)
        @options = options
        @puppet = PuppetSide.new
        @ours = OurCases.new(options[:binary], options[:version] || Puppet.version.to_i)
        @counts = Hash.new(0)
        @shown = 0 # one of an environment
        @started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      def run
        @options[:environments].empty? ? random_environments : @options[:environments].each { |folder| given(folder) }
        report
        @counts[:failed].zero?
      end

      private

      def random_environments
        numbers = @options[:number] ? [@options[:number]] : (0..)
        numbers.each do |number|
          break if done?

          seed = (@options[:seed] * 1_000_003) + number
          one = OpenEnvironment.new(seed).to_case("seed #{@options[:seed]} number #{number}")
          queries = one.queries.map { |query| without_tokens_in_default(query.except('explain')) }.uniq
          one = Case.new(name: one.name, files: one.files.except('/vars.json'))
          LaidOut.open(one) do |laid_out|
            environment(laid_out, queries, one.files.keys, one.files.values, Chance.new(seed), RANDOM)
          end
        end
      end

      # They stay as they are written, like those of open variables.
      def without_tokens_in_default(query)
        query['default'].to_s.include?('%{') ? query.except('default') : query
      end

      def done?
        seconds = @options[:seconds]
        @counts[:assignments] >= @options[:assignments] ||
          (seconds && Process.clock_gettime(Process::CLOCK_MONOTONIC) - @started > seconds)
      end

      def given(folder)
        laid_out = Given.new(folder)
        listed, = Open3.capture3(*[@options[:binary], 'lookup', '--all', '--root', laid_out.environment, '--render-as', 'jsonl'])
        queries = listed.lines.map { |line| { 'key' => JSON.parse(line, max_nesting: false)['key'] } }
        before = @counts.dup
        environment(laid_out, queries, laid_out.paths, laid_out.texts, Chance.new(@options[:seed]), @options[:assignments])
        puts "#{folder}: #{@counts.map { |name, count| "#{count - before[name]} #{name}" }.join(', ')}"
      ensure
        laid_out&.remove
      end

      def environment(laid_out, queries, paths, texts, chance, random)
        @counts[:environments] += 1
        records = queries.zip(@ours.ask_all(laid_out, queries)).map { |query, answer| Record.new(query, answer, texts) }
        # If every lookup fails, a few queries are enough.
        records = records.first(4) if records.all? { |it| it.cases.all? { |one| one['status'] == 'error' } }
        records = comparable(records)
        return if records.empty?

        @texts = texts_of(records, texts, chance, paths)
        failed = []
        nodes_of_cases(records).each { |node, list| compare(laid_out, node, list, failed) }
        random.times { compare(laid_out, @texts.random, records, failed) unless records.all? { |it| failed.include?(it) } }
      end

      def comparable(records)
        @counts[:keys] += records.size
        records.select do |record|
          @counts[:incomplete] += 1 unless record.complete?
          @counts[:unknown] += 1 if record.complete? && record.unknown?
          @counts[:depending] += 1 if record.complete? && record.cases.size > 1
          record.complete? && !record.unknown?
        end
      end

      def texts_of(records, texts, chance, paths)
        seen = Hash.new { |hash, name| hash[name] = [] }
        records.each do |record|
          record.cases.each do |it|
            it.fetch('open', []).each { |name| seen[name] }
            it['if'].each { |name, text| seen[name] |= [text] }
          end
        end
        variables = Variables.of(texts) | seen.keys.select { |name| Variables.fact_or_trusted?(name) }
        Texts.new(chance, variables, seen.reject { |_, list| list.empty? }, paths, has_holders: Puppet.version.to_i >= 8)
      end

      # Nodes that get each case of each record, and the records for which they do.
      def nodes_of_cases(records)
        nodes = Hash.new { |hash, node| hash[node] = [] }
        by_conditions = Hash.new { |hash, conditions| hash[conditions] = [] }
        records.each do |record|
          record.cases.each_with_index do |one, index|
            known = by_conditions[one['if']]
            node = known.find { |it| record.first_for(it) == index } || node_for(record, index)
            next @counts[:unreached] += 1 unless node

            @counts[:cases] += 1
            known << node unless known.include?(node)
            nodes[node] << record
          end
        end
        nodes
      end

      def node_for(record, index)
        ATTEMPTS.times do |attempt|
          node = @texts.node_with(record.cases[index]['if'], attempt)
          return node if record.first_for(node) == index
        end
        nil
      end

      def compare(laid_out, node, records, failed)
        @counts[:assignments] += 1
        records -= failed
        asked = laid_out.with(node.added_to(laid_out.one))
        theirs = @puppet.ask_all(asked, records.map(&:query))
        records.zip(theirs) do |record, their|
          @counts[:answers] += 1
          # A merge with knockouts changes Puppet's cache, so the answer of a fresh compiler is used.
          next unless record.difference(node, their)

          their = @puppet.ask_all(asked, [record.query]).first
          next @counts[:unanswered] += 1 if their['status'] == 'no answer'
          next unless (difference = record.difference(node, their))

          failed << record
          @counts[:failed] += 1
          show(asked.one, record, node, their, difference) if failed.size == 1 && (@shown += 1) <= @options[:show]
        end
      end

      def show(one, record, node, theirs, difference)
        small = Case.new(name: one.name, files: one.files.merge('/queries' => "#{JSON.generate(record.query)}\n"))
        unless @options[:quick] || !@options[:environments].empty?
          small = Shrink.new(small, sort(difference, theirs, record, node)) { |candidate| sort(*answers(candidate)) }.run
          difference, theirs, record, node = answers(small)
        end
        ours = record.cases[record.first_for(node)]
        puts "#= #{small.name} (#{difference})", fixture(small), "# puppet: #{JSON.generate(theirs)}", "# ours:   #{JSON.generate(ours)}"
        puts "# open:   #{JSON.generate(record.cases.map { |it| it['if'] }).slice(0, 2000)}", ''
        $stdout.flush
      end

      def answers(one)
        node = AnyNode.of_case(one)
        one = node.added_to(one)
        LaidOut.open(one) do |laid_out|
          record = Record.new(one.queries.first, @ours.ask_all(laid_out, one.queries).first, one.files.values)
          return ['incomplete', {}, record, node] if !record.complete? || record.unknown?

          theirs = @puppet.ask_all(laid_out, one.queries).first
          [record.difference(node, theirs), theirs, record, node]
        end
      end

      # The part of a difference that must stay the same while the case is reduced.
      def sort(difference, theirs, record, node)
        ours = record.cases[record.first_for(node)]
        [difference, *[theirs, ours].map { |it| (it['error'] || '').gsub(/'[^']*'|"[^"]*"|\d+/, '*')[0, 60] }]
      end

      def fixture(one)
        one.files.map { |path, body| "#- #{path}\n#{body}#{"\n" unless body.end_with?("\n") || body.empty?}" }.join
      end

      def report
        puts "Puppet #{Puppet.version}, seed #{@options[:seed]}: #{@counts.except(:failed).map { |name, count| "#{count} #{name}" }.join(', ')}"
        puts "#{@counts[:answers] - @counts[:failed]} passed, #{@counts[:failed]} failed"
      end
    end
  end
end

options = { binary: File.join(__dir__, '../../target/debug/hiera-ls'), seed: Random.new_seed % 1_000_000, assignments: 1000, show: 5,
            environments: [] }
OptionParser.new do |parser|
  parser.on('--binary PATH', '--hiera-ls PATH') { |value| options[:binary] = File.expand_path(value) }
  parser.on('--seed N', Integer) { |value| options[:seed] = value }
  parser.on('--assignments N', Integer) { |value| options[:assignments] = value }
  parser.on('--seconds N', Integer) { |value| options[:seconds] = value }
  parser.on('--puppet-version N', Integer) { |value| options[:version] = value }
  parser.on('--number N', Integer) { |value| options[:number] = value }
  parser.on('--environment DIR') { |value| options[:environments] << value }
  parser.on('--show N', Integer) { |value| options[:show] = value }
  parser.on('--quick') { options[:quick] = true }
end.parse!
options[:environments].concat(ARGV)
puts "seed #{options[:seed]}"
exit Conformance::Fuzz::CasesRun.new(options).run
