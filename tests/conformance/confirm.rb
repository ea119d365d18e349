#!/usr/bin/env ruby
# frozen_string_literal: true

# Checks every error that `hiera-ls check` reports in a control repository with real Puppet: the lookup of that key must fail for
# some node that reads the file.
#
#   ruby tests/conformance/confirm.rb HIERA_LS ENVIRONMENT...
#   ruby tests/conformance/confirm.rb HIERA_LS --examples        the examples of docs/rules instead
#
# A node that reads a file has the variables that the path of the file implies (`nodes/%{trusted.certname}.yaml`), and the facts of
# `facts.*.json` in the environment's directory, or of `nodes` in its `.hiera-ls.yaml`. A finding without a key (a file that cannot
# be read, a hiera.yaml) is confirmed by any key that fails. Exits with 1 if Puppet does not confirm an error.
#
# Errors depend on the version of Puppet. Examples are checked for the version that runs here, environments for the
# `puppetVersion` of their `.hiera-ls.yaml`.

require 'json'
require 'open3'
require 'yaml'
require_relative 'puppet_lookup'

# A control repository on the disk.
class Repository
  attr_reader :path

  def initialize(path)
    @path = File.expand_path(path)
  end

  # The errors that `check` reports.
  def errors(program)
    arguments = ['check', '--root', @path, '--format', 'json', '--min-severity', 'error', '--exit-zero']
    output, status = Open3.capture2(program, *arguments)
    abort "#{program} failed on #{@path}" unless status.success?
    JSON.parse(output)
  end

  # The root key whose entry contains the line (from 1); nil if there is none.
  def key_at(file, line)
    lines = File.read(File.join(@path, file), encoding: 'UTF-8').scrub.lines.first(line)
    head = lines.reverse.find { |text| text.match?(/\A(?:"[^"]+"|'[^']+'|[^\s#'"{}\[\]-][^#]*?)\s*:(\s|\z)/) }
    head && head[/\A(?:"([^"]+)"|'([^']+)'|(.*?)\s*:(?:\s|\z))/] && [$1, $2, $3].compact.first
  end

  # The keys whose lookup can fail because of the line: in `lookup_options`, the key that the options are for.
  def suspects(file, line)
    key = key_at(file, line) unless file.end_with?('hiera.yaml')
    return [quoted(key)] unless key.nil? || key == 'lookup_options'

    lines = key ? File.read(File.join(@path, file)).lines.first(line) : []
    option = lines.reverse.filter_map { |text| text[/\A  (\S+?):(?:\s|\z)/, 1] }.first
    [*option, 'no_such_key', *file[%r{\A[^/]+/([^/]+)/}, 1]&.+('::no_such_key')]
  end

  # Sets of variables with which the hierarchy leads to the file, each added to one set of facts.
  def nodes_that_read(file)
    variables = templates.filter_map { |template| match(template, file) }
    variables = [{}] if variables.empty?
    fact_sets.product(variables)
  end

  private

  def quoted(key)
    key.match?(/['".]/) ? "'#{key}'" : key
  end

  def fact_sets
    files = Dir.glob(File.join(@path, 'facts.*.json'))
    sets = files.sort.map { |facts| JSON.parse(File.read(facts)) }
    settings = File.join(@path, '.hiera-ls.yaml')
    nodes = File.exist?(settings) ? YAML.safe_load_file(settings)['nodes'].to_h : {}
    nodes.each { |name, node| sets << node['facts'].to_h.merge('clientcert' => name) }
    sets.empty? ? [{}] : sets
  end

  def templates
    config = YAML.safe_load_file(File.join(@path, 'hiera.yaml'), aliases: true, permitted_classes: [Symbol])
    return [] unless config.is_a?(Hash) && config['hierarchy'].is_a?(Array)

    default = config.dig('defaults', 'datadir') || 'data'
    Array(config['hierarchy']).flat_map do |level|
      places = [*level['path'], *level['paths'], *level['glob'], *level['globs']]
      places.map { |place| File.join(level['datadir'] || default, place) }
    end
  end

  def match(template, file)
    names = []
    pattern = template.split(/(%\{[^}]*\}|\*\*|\*)/).map do |part|
      case part
      when /\A%\{\s*(?:::)?(.*?)\s*\}\z/
        names << Regexp.last_match(1)
        '([^/]*)'
      when '*', '**' then '.*'
      else Regexp.escape(part)
      end
    end
    found = Regexp.new("\\A#{pattern.join}\\z").match(file)
    found && names.zip(found.captures).to_h
  end
end

# A query for Puppet, in the form that `PuppetLookup` takes.
class Question
  attr_reader :queries, :facts

  def initialize(key, facts, variables)
    @queries = [{ 'key' => key }]
    @facts = Marshal.load(Marshal.dump(facts))
    @variables = {}
    variables.each { |name, text| set(name, text) }
  end

  def json(path, default)
    path == '/vars.json' ? @variables : default
  end

  private

  def set(name, text)
    case name
    when 'trusted.certname', 'clientcert', 'fqdn', 'facts.fqdn' then @facts['clientcert'] = text
    when /\Afacts\.(.*)/ then bury(@facts, Regexp.last_match(1).split('.'), text)
    when /\A(trusted|server_facts|environment)\b/ then nil
    else bury(@variables, name.split('.'), text)
    end
  end

  def bury(hash, (first, *rest), text)
    return hash[first] = text if rest.empty?

    hash[first] = {} unless hash[first].is_a?(Hash)
    bury(hash[first], rest, text)
  end
end

# Writes the examples of the rules' pages as control repositories below a directory; returns their directories.
def lay_out_examples(below)
  pages = Dir.glob(File.join(__dir__, '..', '..', 'docs', 'rules', '*.md')).sort
  pages.flat_map do |page|
    blocks = File.read(page, encoding: 'UTF-8').scan(/^```yaml\n(.*?)^```$/m).flatten
    blocks.grep(/\^ error\[/).each_with_index.map do |block, number|
      root = File.join(below, "#{File.basename(page, '.md')}-#{number}")
      block = "#- /data/common.yaml\n#{block}" unless block.start_with?('#- ')
      files = block.split(/^#- (\S+)\n/).drop(1).each_slice(2).to_h
      files['/hiera.yaml'] ||= "version: 5\nhierarchy: [{name: Common data, path: common.yaml}]\n"
      files['/.hiera-ls.yaml'] = "#{files['/.hiera-ls.yaml']}puppetVersion: #{Puppet.version.to_i}\n"
      files.each do |path, text|
        FileUtils.mkdir_p(File.dirname(File.join(root, path)))
        File.write(File.join(root, path), text.to_s.gsub(/^ *# *\^+ \w+\[.*\n/, ''))
      end
      root
    end
  end
end

# Rules about values of class parameters: the failure occurs where the class is included.
OF_PARAMETERS = %w[value-type-mismatch sensitive-parameter-plain-data convert-to-misses-type].freeze

# Real Puppet, which also includes classes.
class Puppets < Conformance::PuppetLookup
  # Why Puppet refuses the class whose parameter the query's key sets, if that is the reason.
  def refusal_of_parameter(folder, question)
    Puppet[:hiera_config] = File.join(folder, 'no-global-layer', 'hiera.yaml')
    name, _, parameter = question.queries.first['key'].rpartition('::')
    in_compiler(folder, question) do |scope|
      Puppet::Pops::Parser::EvaluatingParser.new.evaluate_string(scope, "include #{name}")
    end
    nil
  rescue StandardError => e
    message(e)[/parameter '#{Regexp.escape(parameter)}'.*/]
  end
end

program, *environments = ARGV
abort 'usage: confirm.rb HIERA_LS ENVIRONMENT...' if environments.empty?
puppet = Puppets.new
environments = lay_out_examples(Dir.mktmpdir('examples')) if environments == ['--examples']
unconfirmed = 0
environments.each do |environment|
  repository = Repository.new(environment)
  repository.errors(program).each do |error|
    file = error['path']
    # Mistakes in code break catalogs, not lookups.
    next if file.end_with?('.pp', '.epp')

    line = error.dig('start', 'line')
    asked = repository.suspects(file, line).product(repository.nodes_that_read(file))
    failure = asked.lazy.filter_map do |key, (facts, variables)|
      question = Question.new(key, facts, variables)
      next puppet.refusal_of_parameter(repository.path, question) if OF_PARAMETERS.include?(error['code'])

      global = File.join(repository.path, 'no-global-layer')
      answer = puppet.answers_in(repository.path, global, question).first
      "#{key}: #{answer['error'].tr("\n", ' ')}" if answer['status'] == 'error'
    end.first
    unconfirmed += 1 unless failure
    verdict = failure ? 'confirmed' : 'UNCONFIRMED'
    puts "#{verdict}  #{File.basename(environment)}/#{file}:#{line} [#{error['code']}] #{failure}"
  end
end
puts "#{unconfirmed} unconfirmed"
exit(unconfirmed.zero? ? 0 : 1)
