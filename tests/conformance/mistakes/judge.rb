# frozen_string_literal: true

require_relative '../puppet_lookup'

module Conformance
  module Mistakes
    # The parts of a node that Puppet needs.
    NodeOf = Struct.new(:facts, :trusted) do
      def json(path, default)
        path == '/trusted.json' && trusted ? trusted : default
      end
    end

    # Real Puppet, which looks up many keys of one node in a directory.
    class Judge < PuppetLookup
      def ask_all(directory, node, keys)
        Puppet[:hiera_config] = File.join(@work, 'none.yaml')
        answers = {}
        in_compiler(directory, NodeOf.new(Marshal.load(Marshal.dump(node['facts'])), node['trusted'])) do |scope|
          keys.each { |key| answers[key] = look_up(Puppet::Pops::Lookup::Invocation.new(scope, {}, {}, nil), { 'key' => key }) }
        end
        @messages.clear
        answers
      rescue Puppet::Error => e
        keys.to_h { |key| [key, { 'status' => 'error', 'error' => e.message }] }
      end

      # `:fails` if a lookup fails that did not fail before, `:differs` if one returns another value, else nil. Stops at the first node
      # with a failing lookup.
      def compare(before, after)
        verdicts = after.map { |node, answers| compare_node(before.fetch(node), answers) }
        seen = nil
        verdicts.each do |verdict|
          return verdict if verdict == :fails

          seen ||= verdict
        end
        seen
      end

      private

      def compare_node(before, after)
        missing = { 'status' => 'not_found' }
        pairs = (before.keys | after.keys).map { |key| [before.fetch(key, missing), after.fetch(key, missing)] }
        return :fails if pairs.any? { |old, new| new['status'] == 'error' && old['status'] != 'error' }

        :differs if pairs.any? { |old, new| old.slice('status', 'value') != new.slice('status', 'value') }
      end
    end
  end
end
