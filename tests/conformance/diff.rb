#!/usr/bin/env ruby
# frozen_string_literal: true

# Edits real environments at random, and compares the report of `hiera-ls diff` with the answers of real Puppet before and after.
#
#   ruby tests/conformance/diff.rb [--binary PATH] [--seed N] [--edits 200] [--show 5] ENVIRONMENT...
#
# Each environment is copied and committed to a repository. There are several nodes: those of its own `facts.*.json`, and copies of
# them with other values for the variables in paths. Every edit (values, keys, lookup_options, levels of hiera.yaml, files that are
# added, deleted or renamed, broken files) starts from the commit. Puppet looks up all top-level keys of both sides for all nodes.
# The report must contain exactly the pairs of key and node whose answer changes, with the same answers before and after. Two errors
# count as the same answer, and so do two secrets.
# Puppet runs in this process: Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder.

require 'json'
require 'open3'
require 'optparse'
require 'tmpdir'
require 'yaml'
require_relative 'case_file'
require_relative 'puppet_lookup'

module Conformance
  # Puppet, which looks up many keys of one node in a directory.
  class PuppetFleet < PuppetLookup
    # The parts of a case that a node needs.
    Facts = Struct.new(:facts) do
      def json(_path, default)
        default
      end
    end

    def ask_all(directory, facts, keys)
      Puppet[:hiera_config] = File.join(@work, 'none.yaml')
      answers = {}
      in_compiler(directory, Facts.new(Marshal.load(Marshal.dump(facts)))) do |scope|
        keys.each { |key| answers[key] = look_up(Puppet::Pops::Lookup::Invocation.new(scope, {}, {}, nil), { 'key' => key }) }
      end
      @messages.clear
      JSON.parse(JSON.generate(answers, max_nesting: false), max_nesting: false)
    rescue Puppet::Error => e
      keys.to_h { |key| [key, { 'status' => 'error', 'error' => e.message }] }
    end
  end

  # A copy of an environment in a repository of its own, with fact sets beside it.
  class Workspace
    attr_reader :directory, :facts_directory, :nodes

    def initialize(source, random)
      @root = Dir.mktmpdir('diff')
      @random = random
      @directory = File.join(@root, 'repository')
      @facts_directory = File.join(@root, 'facts')
      FileUtils.mkdir_p([@directory, @facts_directory])
      sets = Dir.glob('facts.*.json', base: source).sort.map { |name| JSON.parse(File.read(File.join(source, name))) }
      (Dir.children(source) - Dir.glob('{facts,expected,run}.*', base: source)).each do |name|
        FileUtils.cp_r(File.join(source, name), @directory)
      end
      git('init', '--quiet')
      git('add', '--all', '--force')
      git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--quiet', '--message', 'x')
      @nodes = make_nodes(sets.empty? ? [{}] : sets)
    end

    def remove
      FileUtils.rm_rf(@root)
    end

    def reset
      git('reset', '--quiet', '--hard')
      git('clean', '--quiet', '--force', '-d', '-x')
    end

    def data_files
      Dir.glob('**/*.{yaml,yml,eyaml,json}', base: @directory).reject { |it| %w[hiera.yaml metadata.json].include?(File.basename(it)) }.sort
    end

    # Every top-level key, as Ruby's own parsers see it.
    def keys
      data_files.flat_map do |name|
        loaded = YAML.unsafe_load(read(name))
        loaded.is_a?(Hash) ? loaded.keys.grep(String) : []
      rescue Psych::Exception, ArgumentError
        []
      end.uniq - ['lookup_options']
    end

    def read(name)
      File.read(File.join(@directory, name), encoding: 'UTF-8').scrub
    end

    def write(name, text)
      path = File.join(@directory, name)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
    end

    def delete(name)
      FileUtils.rm_f(File.join(@directory, name))
    end

    def rename(from, to)
      write(to, read(from))
      delete(from)
    end

    private

    def git(*arguments)
      output, status = Open3.capture2e('git', '-C', @directory, *arguments)
      raise output unless status.success?
    end

    # The copies of each fact set that have other values.
    COPIES = 3

    # The nodes of the fact sets, and copies of them with texts from the names of data files.
    def make_nodes(sets)
      words = data_files.flat_map { |name| name.sub(/\.\w+\z/, '').split(%r{[/_-]}) }.uniq
      copies = words.empty? ? [] : sets.flat_map { |set| Array.new(COPIES) { with_words(set, words) } }
      all = sets + copies
      all.zip(names(all.size)).to_h do |set, name|
        facts = set.merge('clientcert' => name)
        File.write(File.join(@facts_directory, "#{name}.json"), JSON.generate(facts))
        [name, facts]
      end
    end

    # Names for nodes; about half of them are those of data files.
    def names(count)
      of_files = data_files.map { |name| File.basename(name).sub(/\.\w+\z/, '') }.grep(/\A[a-z][\w-]*(\.[\w-]+)+\z/).uniq
      made = Array.new(count) { |index| "node#{index}.example.org" }
      (of_files.sample(count / 2, random: @random) + made).uniq.first(count)
    end

    # A copy of a fact set, in which the variables of paths have other values.
    def with_words(set, words)
      variables.each_with_object(Marshal.load(Marshal.dump(set))) do |variable, facts|
        *parents, name = variable.split('.')
        holder = parents.reduce(facts) { |hash, parent| hash.is_a?(Hash) ? hash[parent] ||= {} : hash }
        holder[name] = words.sample(random: @random) if holder.is_a?(Hash)
      end
    end

    # The facts that the hierarchies name.
    def variables
      Dir.glob('**/hiera.yaml', base: @directory).flat_map do |name|
        read(name).scan(/%\{(?:::)?(?:facts\.(\w+(?:\.\w+)*)|(\w+))\}/).map { |nested, plain| nested || plain }
      end.uniq
    end
  end

  # One random edit of a workspace, with a description.
  class Edit
    VALUES = ['1', 'other', '[a, b]', '{p: 1, q: {r: 2}}', '~', 'true', '"%{facts.os.family}"', '"%{trusted.certname}"',
              '"%{environment} x"', '"%{nothing}"', '[]'].freeze
    STRATEGIES = ['unique', 'hash', 'deep', 'first', '{strategy: deep, knockout_prefix: "--"}', 'none'].freeze
    KINDS = %i[value value value key key key_gone moved options options level_gone levels_swapped file_gone file_new
               file_renamed broken reference].freeze

    def initialize(workspace, random)
      @workspace = workspace
      @random = random
    end

    def run
      kind = KINDS.sample(random: @random)
      done = send(kind)
      done ? "#{kind}: #{done}" : run
    end

    private

    def yaml_file
      @workspace.data_files.grep(/\.ya?ml\z/).sample(random: @random)
    end

    def top_level(lines)
      lines.each_index.select { |index| lines[index].match?(/\A['"\w][^#]*:(\s|\z)/) && !lines[index].start_with?('lookup_options') }
    end

    def change(file)
      lines = @workspace.read(file).lines
      yield lines
      @workspace.write(file, lines.join)
      file
    end

    def value
      file = yaml_file or return
      lines = @workspace.read(file).lines
      candidates = lines.each_index.select { |index| lines[index].match?(/\A\s*['"]?[\w:.]+['"]?:\s+[^\s#&*|>!\[{]/) }
      at = candidates.sample(random: @random) or return
      lines[at] = lines[at].sub(/\A(\s*['"]?[\w:.]+['"]?:\s+).*$/) { "#{Regexp.last_match(1)}#{VALUES.sample(random: @random)}" }
      @workspace.write(file, lines.join)
      "#{file}:#{at + 1}"
    end

    def any_key
      @workspace.keys.sample(random: @random)
    end

    def key
      file = yaml_file or return
      name = @random.rand(4).zero? ? "fresh#{@random.rand(9)}" : any_key
      return unless name

      change(file) do |lines|
        lines.last << "\n" unless lines.empty? || lines.last.end_with?("\n")
        lines << "#{JSON.generate(name)}: #{VALUES.sample(random: @random)}\n"
      end
    end

    def reference
      file = yaml_file or return
      (from = any_key) && (to = any_key) or return
      return if to.include?("'")

      change(file) do |lines|
        lines.last << "\n" unless lines.empty? || lines.last.end_with?("\n")
        lines << "#{JSON.generate(from)}: \"%{#{%w[lookup alias hiera].sample(random: @random)}('#{to}')}\"\n"
      end
    end

    def block(lines)
      starts = top_level(lines)
      start = starts.sample(random: @random) or return
      finish = lines.each_index.find { |index| index > start && lines[index].match?(/\A[^\s#-]/) } || lines.size
      start...finish
    end

    def key_gone
      file = yaml_file or return
      change(file) { |lines| (range = block(lines)) && lines.slice!(range) }
    end

    def moved
      (file = yaml_file) && (to = yaml_file) or return
      lines = @workspace.read(file).lines
      range = block(lines) or return
      taken = lines.slice!(range)
      @workspace.write(file, lines.join)
      text = @workspace.read(to)
      text << "\n" unless text.empty? || text.end_with?("\n")
      @workspace.write(to, text + taken.join)
      "#{file} to #{to}"
    end

    def options
      file = yaml_file or return
      name = any_key or return
      name = "^#{Regexp.escape(name[0, 4])}.*" if @random.rand(4).zero?
      text = @workspace.read(file)
      return if text.include?('lookup_options')

      text << "\n" unless text.empty? || text.end_with?("\n")
      @workspace.write(file, "#{text}lookup_options: {#{JSON.generate(name)}: {merge: #{STRATEGIES.sample(random: @random)}}}\n")
      file
    end

    def hierarchy
      config = YAML.safe_load(@workspace.read('hiera.yaml'))
      return unless config.is_a?(Hash) && config['hierarchy'].is_a?(Array)

      yield config['hierarchy']
      @workspace.write('hiera.yaml', YAML.dump(config))
      'hiera.yaml'
    rescue Psych::Exception, Errno::ENOENT
      nil
    end

    def level_gone
      hierarchy { |levels| levels.delete_at(@random.rand(levels.size)) }
    end

    def levels_swapped
      hierarchy { |levels| levels.shuffle!(random: @random) }
    end

    def file_gone
      file = yaml_file or return
      @workspace.delete(file)
      file
    end

    def file_new
      file = yaml_file or return
      name = File.join(File.dirname(file), "#{%w[node0.example.org Debian RedHat common production].sample(random: @random)}.yaml")
      return if File.exist?(File.join(@workspace.directory, name))

      key = any_key or return
      @workspace.write(name, "#{JSON.generate(key)}: #{VALUES.sample(random: @random)}\n")
      name
    end

    def file_renamed
      (file = yaml_file) && (to = yaml_file) or return
      return if file == to

      @workspace.rename(file, to)
      "#{file} to #{to}"
    end

    def broken
      file = yaml_file or return
      change(file) { |lines| lines << "\n  - [oops\n" }
    end
  end

  # Runs the comparison.
  class Differential
    def initialize(options)
      @options = options
      @random = Random.new(options[:seed])
      @puppet = PuppetFleet.new
      @counts = Hash.new(0)
      @shown = 0
    end

    def run(environments)
      puts "seed #{@options[:seed]}, Puppet #{Puppet.version}"
      share = (@options[:edits].to_f / environments.size).ceil
      environments.each { |source| environment(source, share) }
      puts "#{@counts['edits']} edits of #{environments.size} environments, #{@counts['lookups']} answers of Puppet: " \
           "#{@counts['expected']} changes, #{@counts['missing']} missing, #{@counts['invented']} invented, " \
           "#{@counts['different']} with another answer, #{@counts['failed']} runs that failed; " \
           "#{@counts['nothing']} edits change nothing"
      exit 1 unless %w[missing invented different failed].sum { |it| @counts[it] }.zero?
    end

    private

    def environment(source, edits)
      workspace = Workspace.new(source, @random)
      before = answers(workspace, workspace.keys)
      edits.times do
        done = Array.new(1 + @random.rand(2)) { Edit.new(workspace, @random).run }
        compare(source, workspace, before, done)
        workspace.reset
      end
    ensure
      workspace&.remove
    end

    def answers(workspace, keys)
      @counts['lookups'] += keys.size * workspace.nodes.size
      workspace.nodes.transform_values { |facts| @puppet.ask_all(workspace.directory, facts, keys) }
    end

    def compare(source, workspace, before, done)
      @counts['edits'] += 1
      after = answers(workspace, workspace.keys | before.values.flat_map(&:keys).uniq)
      expected = expected(before, after)
      found = reported(workspace) or return @counts['failed'] += 1
      @counts['expected'] += expected.size
      @counts['nothing'] += 1 if expected.empty?
      label = "#{File.basename(source)}, #{done.join(' and ')}"
      (expected.keys - found.keys).each { |pair| tell('missing', label, pair, expected[pair], nil) }
      (found.keys - expected.keys).each { |pair| tell('invented', label, pair, nil, found[pair]) }
      (found.keys & expected.keys).each do |pair|
        same = JSON.generate(expected[pair], max_nesting: false) == JSON.generate(found[pair], max_nesting: false)
        tell('different', label, pair, expected[pair], found[pair]) unless same
      end
    end

    def expected(before, after)
      missing = { 'status' => 'not_found' }
      after.each_with_object({}) do |(node, answers), changes|
        answers.each do |key, answer|
          pair = [before[node].fetch(key, missing), answer]
          changes[[key, node]] = pair.map { |it| plain(it) } unless same?(*pair)
        end
      end
    end

    # The order of a hash's members matters; the text of an error does not.
    def same?(before, after)
      one, other = [before, after].map { |it| JSON.generate(it.slice('status', 'value'), max_nesting: false) }
      one == other
    end

    # Status and value without secrets; for an error, only the status.
    def plain(answer)
      answer.slice('status', 'value').transform_values { |value| without_secrets(value) }
    end

    def without_secrets(value)
      case value
      when /ENC\[\w+,/, /\AENC\[…\]/, /\ASensitive \[value redacted\]/ then 'secret'
      when Array then value.map { |item| without_secrets(item) }
      when Hash
        return 'secret' if value['__ptype'] == 'Sensitive'

        value.transform_values { |member| without_secrets(member) }
      else value
      end
    end

    def reported(workspace)
      command = [@options[:binary], 'diff', '--root', workspace.directory, '--environment', PuppetLookup::ENVIRONMENT,
                 '--facts', workspace.facts_directory, '--puppet-version', Puppet.version.to_i.to_s, '--format', 'json']
      output, errors, status = Open3.capture3(*command)
      unless status.success?
        puts errors
        return nil
      end
      JSON.parse(output, max_nesting: false)['changes'].each_with_object({}) do |change, found|
        change['nodes'].each do |node|
          raise "#{change['key']} of #{node} is in two records" if found.key?([change['key'], node])

          found[[change['key'], node]] = [plain(change['before']), plain(change['after'])]
        end
      end
    end

    def tell(what, label, pair, expected, found)
      @counts[what] += 1
      return if (@shown += 1) > @options[:show]

      puts "#{what}: #{pair.join(' of ')} after #{label}", "  puppet: #{JSON.generate(expected)}", "  ours:   #{JSON.generate(found)}"
    end
  end
end

options = { binary: 'target/debug/hiera-ls', seed: Random.new_seed % 1_000_000, edits: 200, show: 5 }
OptionParser.new do |parser|
  parser.on('--binary PATH') { |it| options[:binary] = it }
  parser.on('--seed N', Integer) { |it| options[:seed] = it }
  parser.on('--edits N', Integer) { |it| options[:edits] = it }
  parser.on('--show N', Integer) { |it| options[:show] = it }
end.parse!
abort 'which environments?' if ARGV.empty?
Conformance::Differential.new(options).run(ARGV)
