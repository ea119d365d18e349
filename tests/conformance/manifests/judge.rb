# frozen_string_literal: true

require 'tmpdir'
require 'puppet'
require 'puppet/pops'

module Conformance
  module Manifests
    # Puppet checks the text of a heredoc that names its syntax, as `@(END:json)` does. hiera-ls does not.
    module NoSyntaxOfHeredocs
      def check_HeredocExpression(_heredoc); end
    end
    Puppet::Pops::Validation::Checker4_0.prepend(NoSyntaxOfHeredocs)

    # Real Puppet's parser and validator: what a manifest declares, looks up and includes, and why Puppet refuses it. Nothing is
    # compiled.
    #
    # A record is a hash with the fields of `hiera-ls classes --render-as jsonl` that must be the same.
    class Judge
      LOOKUPS = %w[lookup hiera hiera_array hiera_hash hiera_include].freeze
      INCLUSIONS = %w[include contain require].freeze
      Parser = Puppet::Pops::Parser
      Model = Puppet::Pops::Model
      Validation = Puppet::Pops::Validation
      # What Puppet says about a file that it refuses: a list of [message, line, column]. `records` is nil if it cannot be parsed. If
      # Ruby failed, such as for a regular expression, the messages are not Puppet's.
      Refused = Struct.new(:problems, :records, :by_ruby)

      def self.start
        directory = Dir.mktmpdir
        at_exit { FileUtils.rm_rf(directory) }
        settings = %w[confdir vardir rundir logdir codedir].flat_map { |name| ["--#{name}", File.join(directory, name)] }
        Puppet.initialize_settings(settings)
        # Duplicate keys of hashes are warnings in Puppet 7 and errors in Puppet 8; hiera-ls does not report them.
        Puppet[:strict] = :warning
        Puppet::Util::Log.close_all
        new
      end

      # The records of the file at `path` in the order of their places, or why Puppet refuses it.
      def read(path)
        source = File.read(path, mode: 'rb', encoding: 'utf-8')
        return Refused.new([['invalid byte sequence in UTF-8']]) unless source.valid_encoding?

        is_plan = path.split('/')[..-2].include?('plans')
        Puppet[:tasks] = is_plan
        program = Parser::Parser.new.parse_string(source, path).model
        records = FileRecords.new(source, tokens_of(source, path)).of(program)
        problems = is_plan ? [] : problems_of(program)
        problems.empty? ? records : Refused.new(problems, records)
      rescue Puppet::Error => e
        Refused.new([[e.message.sub(/ \((?:file|line): .*\z/m, ''), e.line, e.pos]])
      rescue StandardError, SystemStackError => e
        Refused.new([[e.message]], nil, true)
      end

      private

      # The errors of Puppet's validator.
      def problems_of(program)
        acceptor = Validation::Acceptor.new
        Validation::ValidatorFactory_4_0.new.validator(acceptor).validate(program)
        acceptor.errors.map do |error|
          arguments = error.arguments.merge(label: Puppet::Pops::Model::ModelLabelProvider.new)
          [error.issue.format(arguments), error.source_pos.line, error.source_pos.pos]
        end
      end

      # Those of heredoc texts are elsewhere and are left out.
      def tokens_of(source, path)
        lexer = Parser::Lexer2.new
        lexer.lex_string(source, path)
        lexer.fullscan.filter_map do |kind, value|
          next if !value || value.locator.is_a?(Parser::Locator::SubLocator)

          Token.new(kind, value.offset, value.offset + value.token_array[2])
        end
      end
    end

    Token = Struct.new(:kind, :start, :stop)

    # Walks through the model of one file.
    class FileRecords
      M = Puppet::Pops::Model
      OPENING = %i[LPAREN WSLPAREN LBRACK LISTSTART LBRACE SELBRACE].freeze
      CLOSING = %i[RPAREN RBRACK RBRACE].freeze
      NOT_CONSTANT = Object.new.freeze

      def initialize(source, tokens)
        @source = source
        @tokens = tokens
        @index = tokens.each_with_index.to_h { |token, index| [token.start, index] }
        @found = []
      end

      def of(program)
        walk(program)
        @found.sort_by.with_index { |(offset, _), index| [offset, index] }.map(&:last)
      end

      private

      # `@inside` is the name of the declaration around a call.
      def walk(node)
        outer = @inside
        visit(node)
        @inside = node.name if named?(node)
        node._pcore_contents { |inner| walk(inner) }
        @inside = outer
      end

      def named?(node)
        case node
        when M::NamedDefinition, M::TypeAlias, M::TypeDefinition then true
        else false
        end
      end

      def visit(node)
        case node
        when M::HostClassDefinition then declare('class', node, node.name, parent: node.parent_class, params: node.parameters)
        when M::ResourceTypeDefinition then declare('define', node, node.name, params: node.parameters)
        when M::PlanDefinition then declare('plan', node, node.name, params: node.parameters, returns: node.return_type)
        when M::FunctionDefinition then declare('function', node, node.name, params: node.parameters, returns: node.return_type)
        when M::NodeDefinition
          declare('node', node, nil, parent: node.parent && written(node.parent), hosts: node.host_matches.map { |host| written(host) })
        when M::TypeAlias then type_alias(node)
        when M::CallNamedFunctionExpression then named_call(node)
        when M::CallMethodExpression then method_call(node)
        when M::ResourceExpression then resource(node)
        end
      end

      def declare(kind, node, name, parent: nil, params: [], type: nil, returns: nil, hosts: nil, offset: node.offset)
        @found << [offset, {
          'kind' => kind, 'name' => name&.delete_prefix('::'), 'line' => node.locator.line_for_offset(offset), 'parent' => parent,
          'type' => type, 'return_type' => returns && written(returns), 'hosts' => hosts, 'params' => parameters(params)
        }]
      end

      def parameters(list)
        list.each_with_index.map do |one, index|
          constant = one.value ? value_of(one.value) : NOT_CONSTANT
          is_constant = !constant.equal?(NOT_CONSTANT)
          {
            'name' => one.name, 'type' => one.type_expr && written(one.type_expr), 'default' => one.value && default(one, list[index + 1]),
            'default_kind' => one.value ? (is_constant ? 'literal' : 'expression') : 'none', 'literal' => is_constant ? encoded(constant) : nil,
            'captures_rest' => one.captures_rest ? true : false, 'line' => one.line
          }
        end
      end

      # From after the `=` to the comma before the next parameter, or to the bracket that ends the list.
      def default(one, following)
        first = @index.fetch(one.offset)
        first += 1 until @tokens[first].kind == :EQUALS
        first += 1
        last = following ? index_before(following) : index_of_closing(first) - 1
        last -= 1 if @tokens[last].kind == :COMMA
        slice(@tokens[first].start, @tokens[last].stop)
      end

      def index_before(parameter)
        index = @index.fetch(parameter.type_expr ? parameter.type_expr.offset : parameter.offset) - 1
        @tokens[index].kind == :TIMES && !parameter.type_expr ? index - 1 : index
      end

      def index_of_closing(index)
        depth = 0
        loop do
          kind = @tokens[index].kind
          return index if depth.zero? && CLOSING.include?(kind)

          depth += OPENING.include?(kind) ? 1 : 0
          depth -= CLOSING.include?(kind) ? 1 : 0
          index += 1
        end
      end

      # Puppet's place of an alias is its name; ours starts with the keyword.
      def type_alias(node)
        keyword = @index.fetch(node.offset)
        keyword -= 1 until @tokens[keyword].kind == :TYPE
        first = last = keyword + 3
        last += 1 if @tokens[last].kind == :CLASSREF && %i[LBRACK LBRACE].include?(@tokens[last + 1]&.kind)
        last = index_of_closing(last + 1) if OPENING.include?(@tokens[last].kind)
        declare('type_alias', node, node.name, type: slice(@tokens[first].start, @tokens[last].stop), offset: @tokens[keyword].start)
      end

      def named_call(node)
        call(node, node.functor_expr.value, node.arguments, node.lambda, 'call') if node.functor_expr.is_a?(M::QualifiedName)
      end

      def method_call(node)
        function = node.functor_expr
        return unless function.is_a?(M::NamedAccessExpression) && function.right_expr.is_a?(M::QualifiedName)

        call(node, function.right_expr.value, [function.left_expr, *node.arguments], node.lambda, 'method')
      end

      def call(node, name, arguments, lambda, form)
        name = name.delete_prefix('::')
        if Judge::INCLUSIONS.include?(name)
          note(node, name, class_names(arguments), lambda, form)
        elsif Judge::LOOKUPS.include?(name)
          note(node, name, keys(arguments.first), lambda, form)
        end
      end

      # Constant names, and whether there are others.
      def note(node, function, names, lambda, form)
        constant, dynamic = names
        @found << [node.offset, {
          'kind' => 'call', 'function' => function, 'keys' => constant, 'line' => node.line, 'dynamic' => dynamic,
          'lambda' => lambda ? true : false, 'form' => form, 'in' => @inside&.delete_prefix('::')
        }]
      end

      def resource(node)
        return unless node.type_name.is_a?(M::QualifiedName) && node.type_name.value == 'class'

        node.bodies.each do |body|
          note(body.title, 'class', class_names([body.title]), nil, 'resource') unless body.title.is_a?(M::LiteralDefault)
        end
      end

      def class_names(nodes)
        nodes.each_with_object([[], false]) do |node, names|
          constant, dynamic =
            case node
            when M::LiteralList then class_names(node.values)
            when M::AccessExpression
              class_type?(node.left_expr) ? class_names(node.keys) : [[], true]
            else
              text = value_of(node)
              text.is_a?(String) ? [[text], false] : [[], true]
            end
          names[0].concat(constant)
          names[1] ||= dynamic
        end
      end

      def class_type?(node)
        node.is_a?(M::QualifiedReference) && node.cased_value == 'Class'
      end

      def keys(node)
        return [[], false] unless node

        node = node.entries.find { |entry| value_of(entry.key) == 'name' }&.value if node.is_a?(M::LiteralHash)
        items = node.is_a?(M::LiteralList) ? node.values : [node].compact
        texts = items.map { |item| value_of(item) }.grep(String)
        [texts, node.nil? || texts.size < items.size]
      end

      def value_of(node)
        catch(NOT_CONSTANT) { return constant(node) }
        NOT_CONSTANT
      end

      def constant(node)
        case node
        when M::LiteralString, M::QualifiedName, M::LiteralNumber, M::LiteralBoolean, M::LiteralRegularExpression then node.value
        when M::LiteralUndef then nil
        when M::LiteralDefault then :default
        when M::HeredocExpression then constant(node.text_expr)
        when M::LiteralList then node.values.map { |item| constant(item) }
        when M::LiteralHash then node.entries.to_h { |entry| [constant(entry.key), constant(entry.value)] }
        when M::UnaryMinusExpression then -number(node.expr)
        else throw NOT_CONSTANT
        end
      end

      def number(node)
        node.is_a?(M::LiteralNumber) ? node.value : throw(NOT_CONSTANT)
      end

      def encoded(value)
        case value
        when Array then value.map { |item| encoded(item) }
        when Hash
          pairs = value.map { |key, item| [encoded(key), encoded(item)] }
          value.keys.all?(String) ? pairs.to_h : { '__ptype' => 'Hash', 'pairs' => pairs }
        when :default then { '__ptype' => 'Default' }
        when Regexp then { '__ptype' => 'Regexp', 'value' => value.source }
        else value
        end
      end

      def written(node)
        slice(node.offset, node.offset + node.length)
      end

      def slice(start, stop)
        @source.byteslice(start, stop - start).force_encoding('UTF-8')
      end
    end
  end
end
