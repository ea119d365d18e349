# frozen_string_literal: true

require 'open3'
require 'timeout'

module Conformance
  module Fuzz
    # A case written to the disk, for both sides to read.
    class LaidOut
      attr_reader :one, :environment, :global

      def initialize(one)
        @one = one
        @root = Dir.mktmpdir('fuzz')
        @environment = File.join(@root, 'environments', PuppetLookup::ENVIRONMENT)
        @global = File.join(@root, 'global')
        write(@environment, one.environment_files)
        write(@global, one.global_files)
        write(@root, { 'facts.json' => JSON.generate(one.facts), 'vars.json' => JSON.generate(one.json('/vars.json', {})) })
      end

      def self.open(one)
        laid_out = new(one)
        yield laid_out
      ensure
        laid_out&.remove
      end

      # The same files for another node.
      def with(one)
        dup.tap { |copy| copy.one = one }
      end

      def remove
        FileUtils.rm_rf(@root)
      end

      def file(name)
        File.join(@root, name)
      end

      # Replaces directories by their names, and Ruby's object numbers by a constant.
      def mask(answer)
        text = JSON.generate(answer, max_nesting: false).gsub(@environment, '${ENV}').gsub(@global, '${GLOBAL}')
        JSON.parse(text.gsub(/0x0[0-9a-f]{15}/, '0x0'), max_nesting: false)
      end

      protected

      attr_writer :one

      private

      def write(folder, files)
        FileUtils.mkdir_p(folder)
        files.each do |path, body|
          file = File.join(folder, path)
          FileUtils.mkdir_p(File.dirname(file))
          File.binwrite(file, body) unless File.directory?(file)
        rescue Errno::EEXIST
          next # A file lies where its folder would be.
        end
      end
    end

    # Puppet in this process; one compiler answers all queries of an environment.
    class PuppetSide < PuppetLookup
      # Seconds for one lookup. `convert_to: Array` counts up to any number, until no memory is left.
      PATIENCE = 5
      NO_ANSWER = { 'status' => 'no answer' }.freeze

      def ask_all(laid_out, queries)
        Puppet[:hiera_config] = File.join(laid_out.global, 'hiera.yaml')
        answers = {}
        in_compiler(laid_out.environment, laid_out.one) do |scope|
          queries.each_with_index do |query, index|
            next if query['explain'] # What is cached is not explained: these have compilers of their own.

            answers[index] = look_up(Puppet::Pops::Lookup::Invocation.new(scope, {}, {}, nil), query)
          end
        end
        @messages.clear
        queries.each_index.map do |index|
          laid_out.mask(answers[index] || ask(laid_out.environment, laid_out.one, queries[index]))
        end
      end

      private

      def look_up(invocation, query)
        answer = Timeout.timeout(PATIENCE) { super }
        answer['error_class'] == 'Timeout::Error' ? NO_ANSWER : answer
      rescue Timeout::Error
        NO_ANSWER
      end

      # Agents' facts are sanitized before they become variables: `null` becomes an empty string.
      def node(environment, one)
        facts = Puppet::Node::Facts.new('', one.facts)
        facts.sanitize
        super(environment, Case.new(name: one.name, files: one.files.merge('/facts.json' => JSON.generate(facts.values))))
      end
    end

    # The program under test: one process answers all queries of an environment.
    class OurSide
      def initialize(binary, version)
        @binary = binary
        @version = version
      end

      def ask_all(laid_out, queries)
        explained, plain = queries.partition { |query| query['explain'] }
        answers = run(laid_out, plain, []).concat(run(laid_out, explained, ['--explain']))
        order = (plain + explained).map(&:object_id)
        queries.map { |query| answers[order.index(query.object_id)] }
      end

      private

      def run(laid_out, queries, options)
        return [] if queries.empty?

        lines = queries.map { |query| "#{JSON.generate(query.except('explain'))}\n" }.join
        output, errors, = Open3.capture3(*command(laid_out), *options, stdin_data: lines)
        answers = output.lines.map { |line| JSON.parse(line, max_nesting: false) }
        answers = answers.map { |answer| laid_out.mask(answer.slice('status', 'value', 'error', 'error_class', 'explain')) }
        missing = { 'status' => 'no answer', 'error' => errors.lines.first(5).join }
        answers + ([missing] * (queries.size - answers.size))
      end

      def command(laid_out)
        server_facts = { 'serverversion' => Puppet.version, 'servername' => PuppetLookup::NODE,
                         'environment' => PuppetLookup::ENVIRONMENT }
        File.write(laid_out.file('server_facts.json'), JSON.generate(server_facts))
        File.write(laid_out.file('trusted.json'), JSON.generate(TRUSTED))
        [@binary, 'lookup', '--root', laid_out.environment, '--environment', PuppetLookup::ENVIRONMENT,
         '--node', PuppetLookup::NODE, '--facts', laid_out.file('facts.json'), '--trusted', laid_out.file('trusted.json'),
         '--vars', laid_out.file('vars.json'), '--server-facts', laid_out.file('server_facts.json'),
         '--hiera-config', File.join(laid_out.global, 'hiera.yaml'), '--puppet-version', @version.to_s,
         '--keys-from', '-', '--render-as', 'jsonl']
      end

      TRUSTED = { 'authenticated' => 'remote', 'certname' => PuppetLookup::NODE, 'extensions' => {}, 'hostname' => 'node1',
                  'domain' => 'example.com', 'external' => {} }.freeze
    end

    # How two answers differ: `nil`, `:text` (only the words of the error), or a larger difference.
    module Difference
      WORDS = %w[error error_class].freeze

      def self.of(theirs, ours)
        return "#{theirs['status']}/#{ours['status']}" if theirs['status'] != ours['status']
        return theirs.slice(*WORDS) == ours.slice(*WORDS) ? nil : :text if theirs['status'] == 'error'

        return 'values' if text(theirs['value']) != text(ours['value'])

        explanation(theirs) == explanation(ours) ? nil : 'explanations'
      end

      # Knockouts and conversions change Puppet's values before they are explained: docs/puppet-differences.md.
      def self.explanation(answer)
        text = answer['explain'].to_s
        text.match?(/knockout_prefix|"convert_to" => \[/) ? '' : text
      end

      # As text: hashes with another order of their members are not equal, and neither are 1 and 1.0.
      def self.text(value)
        JSON.generate(value, max_nesting: false)
      end
    end
  end
end
