# frozen_string_literal: true

# Real Puppet's type system, in this process.

require 'puppet'
require 'puppet/pops'
require 'puppet/node'
require 'puppet/parser/compiler'
require 'tmpdir'

module Conformance
  module Types
    # Says whether values belong to types, with Puppet's message if not.
    class Judge
      def initialize(modulepath)
        @modulepath = modulepath.split(':')
      end

      def answers(pairs)
        Dir.mktmpdir('judge') do |directory|
          prepare(directory)
          within_a_compilation(directory) do |scope|
            @scope = scope
            @parser = Puppet::Pops::Parser::EvaluatingParser.new
            @types = {}
            return pairs.map { |pair| answer(pair) }
          end
        end
      end

      private

      def prepare(directory)
        unless Puppet.settings.global_defaults_initialized?
          names = { confdir: 'conf', vardir: 'var', rundir: 'run', logdir: 'log', codedir: 'code' }
          Puppet.initialize_settings(names.flat_map { |name, below| ["--#{name}", File.join(directory, below)] })
        end
        Puppet::Util::Log.close_all
        Puppet.push_context(Puppet.base_context(Puppet.settings), 'types')
      end

      def within_a_compilation(directory, &block)
        environment = Puppet::Node::Environment.create(:production, @modulepath, File.join(directory, 'none'))
        loader = Puppet::Environments::StaticDirectory.new(:production, directory, environment)
        Puppet.override(environments: Puppet::Environments::Cached.new(loader), current_environment: environment) do
          facts = Puppet::Node::Facts.new('node', {})
          node = Puppet::Node.new('node', environment: environment, facts: facts)
          Puppet[:code] = 'undef'
          compiler = Puppet::Parser::Compiler.new(node)
          compiler.compile do |catalog|
            block.call(compiler.topscope)
            catalog
          end
        end
      end

      def answer(pair)
        type = type_of(pair['type'])
        value = Judge.decoded(pair['value'])
        # Some types return values that are only truthy or falsy in Ruby.
        ok = type.instance?(value) ? true : false
        message = ok ? nil : words(type, value)
        { 'ok' => ok, 'message' => message.to_s.empty? ? nil : message }
      rescue StandardError, SystemStackError => e
        { 'ok' => nil, 'message' => nil, 'error' => e.message }
      end

      def type_of(text)
        known = (@types[text] ||= begin
          type = @parser.evaluate_string(@scope, text)
          type.is_a?(Puppet::Pops::Types::PAnyType) ? type : ArgumentError.new("not a type: #{type.class}")
        rescue StandardError, SystemStackError => e
          e
        end)
        raise known if known.is_a?(Exception)

        known
      end

      def words(type, value)
        actual = Puppet::Pops::Types::TypeCalculator.singleton.infer_set(value)
        found = Puppet::Pops::Types::TypeMismatchDescriber.singleton.describe(type, actual, [])
        found.map { |mismatch| mismatch.format.strip }.join("\n")
      end

      class << self
        # The value of JSON in which objects with the member `__ptype` represent values that JSON does not have.
        def decoded(json)
          case json
          when Array then json.map { |item| decoded(item) }
          when Hash then json['__ptype'] ? tagged(json['__ptype'], json) : json.transform_values { |item| decoded(item) }
          else json
          end
        end

        private

        def tagged(name, json)
          value = json['value']
          case name
          when 'Hash' then json['pairs'].to_h { |key, item| [decoded(key), decoded(item)] }
          when 'Float' then { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY }.fetch(value, -Float::INFINITY)
          when 'Sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(decoded(value))
          when 'Default' then :default
          when 'Binary' then Puppet::Pops::Types::PBinaryType::Binary.from_base64(value)
          when 'Regexp' then Regexp.new(value)
          when 'Type' then Puppet::Pops::Types::TypeParser.singleton.parse(value)
          when 'Symbol' then value.to_sym
          else object(name, value)
          end
        end

        def object(name, text)
          case name
          when 'Timestamp' then Puppet::Pops::Time::Timestamp.parse(text)
          when 'Timespan' then Puppet::Pops::Time::Timespan.parse(text)
          when 'SemVer' then SemanticPuppet::Version.parse(text)
          when 'SemVerRange' then SemanticPuppet::VersionRange.parse(text)
          when 'URI' then URI.parse(text)
          else raise ArgumentError, "unknown __ptype #{name}"
          end
        end
      end
    end
  end
end
