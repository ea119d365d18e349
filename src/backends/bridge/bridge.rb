# frozen_string_literal: true

# Calls the lookup functions of environments and modules for hiera-ls, with the Puppet or OpenVox of the Ruby that runs this.
#
# One JSON-RPC message a line, on standard input and output; docs/backends.md has the protocol. While a function runs,
# its context asks hiera-ls for whatever depends on data: interpolation, nested lookups, the texts of files.

require 'json'

# Functions may print and read; only messages go where messages are expected.
HIERA_LS_INPUT = $stdin.dup
HIERA_LS_OUTPUT = $stdout.dup
HIERA_LS_OUTPUT.sync = true
$stdin.reopen(File::NULL)
$stdout.reopen($stderr)

require 'puppet'
require 'puppet/pops'
require 'puppet/node'
require 'puppet/parser/compiler'

module HieraLs
  Lookup = Puppet::Pops::Lookup
  Types = Puppet::Pops::Types

  # The other side.
  class Wire
    def initialize(input, output)
      @output = output
      @inbox = Queue.new
      @last = 0
      Thread.new { read(input) }
    end

    # Answers requests until there are no more.
    def serve(&answer)
      @answer = answer
      loop { take(@inbox.pop) }
    end

    # Asks hiera-ls and waits. What it asks meanwhile comes first.
    def ask(method, params)
      id = "r#{@last += 1}"
      post('id' => id, 'method' => method, 'params' => params)
      loop do
        message = @inbox.pop
        if message.key?('method')
          take(message)
        elsif message['id'] == id
          raise Errors.from_wire(message['error']) if message['error']

          return message['result']
        end
      end
    end

    def notify(method, params)
      post('method' => method, 'params' => params)
    end

    private

    # The end of the input is the end of everything, whatever a function is doing.
    def read(input)
      input.set_encoding(Encoding::UTF_8)
      input.each_line { |line| @inbox << JSON.parse(line, max_nesting: false) }
    ensure
      exit!(0)
    end

    def take(message)
      reply = begin
        { 'result' => @answer.call(message['method'], message['params']) }
      rescue Exception => e # rubocop:disable Lint/RescueException -- SystemStackError and SystemExit are answers, too
        { 'error' => Errors.to_wire(e) }
      end
      post({ 'id' => message['id'] }.merge(reply))
    end

    def post(message)
      @output.write("#{JSON.generate({ 'jsonrpc' => '2.0' }.merge(message), max_nesting: 0)}\n")
    end
  end

  # Exceptions as JSON-RPC's errors. One that hiera-ls raised comes back to it as what it was.
  module Errors
    module_function

    def to_wire(exception)
      data = { 'class' => exception.class.name || 'StandardError' }
      failure = exception.instance_variable_get(:@hiera_ls_failure)
      data['failure'] = failure if failure
      data['is_puppet_error'] = true if exception.is_a?(Puppet::Error)
      data['has_issue_code'] = true if exception.respond_to?(:issue_code) && exception.issue_code
      { 'code' => -32_000, 'message' => message(exception), 'data' => data }
    end

    # The exception's own words, without the hints that Ruby appends.
    def message(exception)
      text = exception.respond_to?(:original_message) ? exception.original_message : exception.message
      text.to_s.dup.force_encoding(Encoding::UTF_8).scrub
    end

    def from_wire(error)
      data = error['data'] || {}
      exception = build(data['class'].to_s, error['message'].to_s)
      exception.instance_variable_set(:@hiera_ls_failure, data['failure'])
      exception
    end

    def build(name, message)
      known = name.split('::').reduce(Object) { |space, part| space.const_get(part) }
      return RuntimeError.new(message) unless known.is_a?(Class) && known <= Exception
      return known.new(message[/ - (.*)\z/m, 1] || message, 'rb_file_s_stat') if known <= SystemCallError

      known.new(message)
    rescue NameError, ArgumentError
      RuntimeError.new(message)
    end
  end

  # Values in JSON; what JSON has not is `{"__ptype": NAME, "value": …}`.
  module Values
    # What readers of JSON keep exact.
    INTEGERS = (-2**63..2**63 - 1).freeze
    RICH = [Regexp, Puppet::Pops::Time::Timestamp, Puppet::Pops::Time::Timespan, SemanticPuppet::Version,
            SemanticPuppet::VersionRange, Types::PBinaryType::Binary, URI].freeze

    module_function

    def encode(value)
      case value
      when nil, true, false then value
      when Integer then INTEGERS.cover?(value) ? value : tagged('Integer', value.to_s)
      when String then encode_text(value)
      when Float then value.finite? ? value : tagged('Float', value.to_s)
      when Array then value.map { |item| encode(item) }
      when Hash then encode_hash(value)
      when :default then { '__ptype' => 'Default' }
      when Symbol then tagged('Symbol', value.to_s)
      when Types::PSensitiveType::Sensitive then tagged('Sensitive', encode(value.unwrap))
      when Types::PAnyType then tagged('Type', value.to_s)
      when *RICH then tagged(rich_name(value), value.to_s)
      when Types::PuppetObject then tagged(value._pcore_type.name, value.to_s)
      else tagged('Runtime', value.class.name.to_s)
      end
    end

    def decode(json)
      case json
      when Array then json.map { |item| decode(item) }
      when Hash then json.key?('__ptype') ? decode_tagged(json) : json.transform_values { |item| decode(item) }
      else json
      end
    end

    def tagged(name, value)
      { '__ptype' => name, 'value' => value }
    end

    def rich_name(value)
      case value
      when SemanticPuppet::Version then 'SemVer'
      when SemanticPuppet::VersionRange then 'SemVerRange'
      else value.is_a?(URI) ? 'URI' : value.class.name.split('::').last
      end
    end

    def encode_text(text)
      utf8 = text.encoding == Encoding::UTF_8 ? text : text.dup.force_encoding(Encoding::UTF_8)
      utf8.valid_encoding? ? utf8 : tagged('Bytes', text.unpack1('H*'))
    end

    def encode_hash(hash)
      plain = hash.keys.all? { |key| key.is_a?(String) && key != '__ptype' && encode_text(key).is_a?(String) }
      return hash.to_h { |key, item| [encode_text(key), encode(item)] } if plain

      { '__ptype' => 'Hash', 'pairs' => hash.map { |key, item| [encode(key), encode(item)] } }
    end

    def decode_tagged(json)
      value = json['value']
      case json['__ptype']
      when 'Hash' then json['pairs'].to_h { |key, item| [decode(key), decode(item)] }
      when 'Default' then :default
      when 'Symbol' then value.to_sym
      when 'Integer' then Integer(value)
      when 'Float' then { 'Infinity' => Float::INFINITY, '-Infinity' => -Float::INFINITY }.fetch(value, Float::NAN)
      when 'Sensitive' then Types::PSensitiveType::Sensitive.new(decode(value))
      when 'Bytes' then [value].pack('H*')
      when 'Binary' then Types::PBinaryType::Binary.from_base64(value)
      when 'Type' then Types::TypeParser.singleton.parse(value)
      else value
      end
    end
  end

  # The invocation that a function finds around it.
  class Invocation < Lookup::Invocation
    def initialize(scope, wire, explains)
      super(scope)
      @wire = wire
      @explains = explains
    end

    def report_text
      @wire.notify('explain', 'text' => yield.to_s) if @explains
    end
  end

  # What belongs to a function at one location of one level. Its cache is Puppet's own.
  class FunctionContext < Lookup::FunctionContext
    attr_writer :wire, :files

    def interpolate(value, _invocation, _allow_methods)
      Values.decode(@wire.ask('interpolate', 'value' => Values.encode(value))['value'])
    end

    # The text as hiera-ls sees it, unsaved changes included. What was made of it is kept as long as it is the same.
    def cached_file_data(path)
      version, data = @files[path]
      answer = @wire.ask('cached_file_data', 'path' => path.to_s, 'version' => version)
      if answer.key?('text')
        data = block_given? ? yield(answer['text']) : answer['text']
        @files[path] = [answer['version'], data]
      end
      data
    end
  end

  # What a function provider asks of the layer it belongs to.
  Layer = Struct.new(:module_name, :hiera_yaml) do
    def config(_invocation)
      self
    end

    def fail(issue, args = {}, line = nil)
      text = issue.format(args.merge(label: self))
      raise Puppet::DataBinding::LookupError.new(text, hiera_yaml, line, nil, nil, issue.issue_code)
    end
  end

  # An environment and a node in it: a compiler that has compiled nothing.
  class Scope
    PROVIDERS = { 'data_hash' => Lookup::DataHashFunctionProvider, 'lookup_key' => Lookup::LookupKeyFunctionProvider,
                  'data_dig' => Lookup::DataDigFunctionProvider }.freeze

    # `described` is the answer to `describe`.
    def initialize(described)
      environment, node = described.values_at('environment', 'node')
      @is_complete = node['is_complete']
      folder = environment['root'] || File::NULL
      modulepath = environment['modules'].values.map { |path| File.dirname(path) }.uniq
      @environment = Puppet::Node::Environment.create(environment['name'].to_sym, modulepath, File.join(folder, 'none.pp'))
      loader = Puppet::Environments::StaticDirectory.new(@environment.name, folder, @environment)
      @overrides = { environments: Puppet::Environments::Cached.new(loader), current_environment: @environment }
      @compiler = within(@overrides) { compiled(node) }
      @files = {}
    end

    # Runs the block with the top scope, as if the compiler were at it.
    def enter
      within(@overrides.merge(@compiler.context_overrides)) { yield @compiler.topscope }
    end

    # The function that a level means, and a cache for it.
    def function_context(kind, name, context, invocation, wire)
      layer = Layer.new(context['module_name'], context['hiera_yaml'])
      function = PROVIDERS.fetch(kind).new(context['level'], layer, name, {}, nil).send(:function, invocation)
      kept = FunctionContext.new(Lookup::EnvironmentContext.adapt(@environment), context['module_name'], function)
      kept.wire = wire
      kept.files = @files
      kept
    end

    private

    # Of a node that is not known in full, nothing is known to be missing.
    def within(overrides, &block)
      strict = Puppet[:strict_variables]
      Puppet[:strict_variables] = false unless @is_complete
      Puppet.override(overrides, 'hiera-ls', &block)
    ensure
      Puppet[:strict_variables] = strict
    end

    def compiled(described)
      compiler = Puppet::Parser::Compiler.new(node(described))
      Puppet[:code] = 'undef'
      compiler.compile { |catalog| catalog }
      compiler
    end

    def node(described)
      variables = Values.decode(described['variables'])
      facts, trusted, server_facts = %w[facts trusted server_facts].map { |name| variables.delete(name) || {} }
      %w[name title environment].each { |name| variables.delete(name) }
      server_facts.each_key { |name| variables.delete(name) }
      node = Puppet::Node.new(described['name'], environment: @environment,
                                                 facts: Puppet::Node::Facts.new(described['name'], facts))
      node.merge(variables)
      node.add_server_facts(server_facts)
      node.trusted_data = trusted
      node
    end
  end

  # Answers hiera-ls.
  class Bridge
    def initialize(wire)
      @wire = wire
      @scopes = {}
      @contexts = {}
      nested_lookups_go_to_hiera_ls
    end

    def call(kind, params)
      (params['forget'] || []).each { |id| @contexts.delete(id) }
      context = params['context']
      scope = @scopes[context['scope']] ||= Scope.new(@wire.ask('describe', {}))
      scope.enter do |top|
        invocation = Invocation.new(top, @wire, context['explain'])
        as_current(invocation) { run(kind, params, scope, invocation) }
      end
    end

    private

    def run(kind, params, scope, invocation)
      context = params['context']
      kept = @contexts[context['id']] ||=
        scope.function_context(kind, params['function'], context, invocation, @wire)
      arguments = params.values_at(*{ 'lookup_key' => ['key'], 'data_dig' => ['segments'] }.fetch(kind, []))
      options = Values.decode(params['options'])
      catch(:no_such_key) do
        value = kept.function.call(invocation.scope, *arguments, options, Lookup::Context.new(kept, invocation))
        return { 'value' => Values.encode(value) }
      end
      { 'not_found' => true }
    end

    def as_current(invocation)
      outer = Lookup::Invocation.current
      Lookup::Invocation.current = invocation
      yield
    ensure
      Lookup::Invocation.current = outer
    end

    def nested_lookups_go_to_hiera_ls
      wire = @wire
      asking = Module.new do
        define_method(:search_and_merge) do |name, _invocation, merge, _apl = true|
          merge = merge.configuration if merge.is_a?(Puppet::Pops::MergeStrategy)
          answer = wire.ask('lookup', 'key' => name, 'merge' => Values.encode(merge))
          throw :no_such_key if answer['not_found']

          Values.decode(answer['value'])
        end
      end
      Lookup.singleton_class.prepend(asking)
    end
  end
end

folders = %w[confdir vardir rundir logdir codedir vendormoduledir].flat_map do |setting|
  ["--#{setting}", File.join(File::NULL, setting)]
end
Puppet.initialize_settings(folders)
Puppet.push_context(Puppet.base_context(Puppet.settings), 'hiera-ls')
Puppet::Util::Log.close_all
wire = HieraLs::Wire.new(HIERA_LS_INPUT, HIERA_LS_OUTPUT)
bridge = HieraLs::Bridge.new(wire)
wire.serve { |kind, params| bridge.call(kind, params) }
