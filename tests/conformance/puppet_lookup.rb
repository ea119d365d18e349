# frozen_string_literal: true

# Real Puppet, in this process: looks keys up in environments that are written to the disk for one query.

require 'fileutils'
require 'tmpdir'
require 'puppet'
require 'puppet/node'
require 'puppet/pops'
require 'puppet/parser/compiler'

module Conformance
  # Looks keys up as `puppet lookup` does, each with its own compiler, so that no answer depends on an earlier one.
  class PuppetLookup
    NODE = 'node1.example.com'
    ENVIRONMENT = 'production'
    NOT_FOUND = Object.new.freeze
    # Numbers that readers of JSON keep exact.
    JSON_INTEGERS = (-2**63..2**64 - 1)

    def initialize
      @work = Dir.mktmpdir('conformance')
      owner = Process.pid
      at_exit { FileUtils.rm_rf(@work) if Process.pid == owner }
      strict = Puppet.version.to_i >= 8 ? 'error' : 'warning'
      folders = %w[confdir vardir rundir logdir codedir vendormoduledir].flat_map do |setting|
        ["--#{setting}", File.join(@work, setting)]
      end
      Puppet.initialize_settings([*folders, '--strict', strict])
      Puppet.push_context(Puppet.base_context(Puppet.settings), 'conformance')
      @messages = []
      Puppet::Util::Log.close_all
      Puppet::Util::Log.newdestination(Puppet::Test::LogCollector.new(@messages))
    end

    # The answers to all queries of a case.
    def answer(one)
      laid_out(one) { |environment, global| answers_in(environment, global, one) }
    end

    # Yields the environment's directory and the global layer's, with the case's files in them.
    def laid_out(one)
      root = Dir.mktmpdir('case', @work)
      environment = File.join(root, 'environments', ENVIRONMENT)
      global = File.join(root, 'global')
      write(environment, one.environment_files)
      write(global, one.global_files)
      yield environment, global
    ensure
      FileUtils.rm_rf(root) if root
    end

    # The answers to all queries of a case whose files exist.
    def answers_in(environment, global, one)
      Puppet[:hiera_config] = File.join(global, 'hiera.yaml')
      one.queries.map { |query| mask(ask(environment, one, query), environment => '${ENV}', global => '${GLOBAL}') }
    end

    private

    def write(folder, files)
      FileUtils.mkdir_p(folder)
      files.each do |path, body|
        file = File.join(folder, path)
        FileUtils.mkdir_p(File.dirname(file))
        path.end_with?('/') ? FileUtils.mkdir_p(file) : File.binwrite(file, body)
      end
    end

    def ask(folder, one, query)
      Puppet.clear_deprecation_warnings
      $unique_warnings&.clear # rubocop:disable Style/GlobalVars -- Puppet warns once per process
      answer = { 'key' => query['key'] }
      %w[names merge default type override default_values_hash].each { |field| answer[field] = query[field] if query.key?(field) }
      explainer = Puppet::Pops::Lookup::Explainer.new if query['explain']
      in_compiler(folder, one) do |scope|
        @messages.clear
        answer.merge!(look_up(invocation(scope, query, explainer), query))
      end
      answer['explain'] = explainer.explain if explainer
      warnings = @messages.select { |message| %i[warning err].include?(message.level) }.map { |m| m.message.to_s }
      answer['warnings'] = warnings unless warnings.empty?
      answer
    end

    def invocation(scope, query, explainer)
      Puppet::Pops::Lookup::Invocation.new(scope, query['override'] || {}, query['default_values_hash'] || {}, explainer)
    end

    def look_up(invocation, query)
      names = query['names'] || query['key']
      type = query['type'] && Puppet::Pops::Types::TypeParser.singleton.parse(query['type'], invocation.scope)
      value = catch(:not_found) do
        if query.key?('default')
          Puppet::Pops::Lookup.lookup(names, type, query['default'], true, query['merge'], invocation)
        else
          Puppet::Pops::Lookup.lookup(names, type, nil, false, query['merge'], invocation) do
            throw :not_found, NOT_FOUND
          end
        end
      end
      return { 'status' => 'not_found' } if value.equal?(NOT_FOUND)

      { 'status' => 'found', 'value' => encode(value) }
    rescue Interrupt, SystemExit
      raise
    rescue Exception => e # rubocop:disable Lint/RescueException -- SystemStackError is an answer too
      { 'status' => 'error', 'error' => message(e), 'error_class' => e.class.name }
    end

    # The exception's own words, without the hints that Ruby's error_highlight and did_you_mean append.
    def message(exception)
      exception.respond_to?(:original_message) ? exception.original_message : exception.message
    end

    def in_compiler(folder, one, &block)
      conf = Puppet::Settings::EnvironmentConf.load_from(folder, [])
      modulepath = conf.modulepath.split(File::PATH_SEPARATOR).reject(&:empty?)
      environment = Puppet::Node::Environment.create(ENVIRONMENT.to_sym, modulepath, File.join(folder, 'none.pp'))
      loader = Puppet::Environments::StaticDirectory.new(ENVIRONMENT.to_sym, folder, environment)
      context = { environments: Puppet::Environments::Cached.new(loader), current_environment: environment }
      Puppet.override(context, 'one lookup') do
        compiler = Puppet::Parser::Compiler.new(node(environment, one))
        Puppet[:code] = 'undef'
        compiler.compile do |catalog|
          block.call(compiler.topscope)
          catalog
        end
      end
    end

    def node(environment, one)
      name = one.facts['clientcert'] || NODE
      facts = Puppet::Node::Facts.new(name, one.facts)
      facts.sanitize # as a server does with what an agent sends
      node = Puppet::Node.new(name, environment: environment, facts: facts)
      node.merge(one.json('/vars.json', {})) # the first to set a variable wins, and a classifier comes before the facts
      node.merge(facts.values)
      node.add_server_facts(one.json('/server_facts.json', { 'serverversion' => Puppet.version, 'servername' => name,
                                                             'environment' => ENVIRONMENT }))
      node.trusted_data = one.json('/trusted.json', trusted(name))
      node
    end

    def trusted(name)
      hostname, domain = name.split('.', 2)
      { 'authenticated' => 'remote', 'certname' => name, 'extensions' => {}, 'hostname' => hostname,
        'domain' => domain, 'external' => {} }
    end

    # JSON for any value; a value that JSON does not have is `{"__ptype": NAME, …}`.
    def encode(value)
      case value
      when nil, true, false then value
      when Integer then JSON_INTEGERS.cover?(value) ? value : { '__ptype' => 'Integer', 'value' => value.to_s }
      when String then encode_text(value)
      when Float then value.finite? ? value : { '__ptype' => 'Float', 'value' => value.to_s }
      when Array then value.map { |item| encode(item) }
      when Hash then encode_hash(value)
      when :default then { '__ptype' => 'Default' }
      when Symbol then { '__ptype' => 'Symbol', 'value' => value.to_s }
      when Puppet::Pops::Types::PSensitiveType::Sensitive
        { '__ptype' => 'Sensitive', 'value' => encode(value.unwrap) }
      when Puppet::Pops::Types::PAnyType then { '__ptype' => 'Type', 'value' => value.to_s }
      else { '__ptype' => value.class.to_s.split('::').last, 'value' => value.to_s }
      end
    end

    def encode_text(text)
      utf8 = text.encoding == Encoding::UTF_8 ? text : text.dup.force_encoding(Encoding::UTF_8)
      utf8.valid_encoding? ? utf8 : { '__ptype' => 'Bytes', 'value' => text.unpack1('H*') }
    end

    def encode_hash(hash)
      if hash.keys.all? { |key| key.is_a?(String) && key.dup.force_encoding('UTF-8').valid_encoding? }
        hash.transform_values { |item| encode(item) }
      else
        { '__ptype' => 'Hash', 'pairs' => hash.map { |key, item| [encode(key), encode(item)] } }
      end
    end

    # Replaces directories by their names, and Ruby's object numbers by a constant.
    def mask(answer, folders)
      text = JSON.generate(answer)
      folders.each { |folder, name| text = text.gsub(folder, name) }
      JSON.parse(text.gsub(/0x0[0-9a-f]{15}/, '0x0'))
    end
  end
end
