# frozen_string_literal: true

require 'json'
require 'open3'
require 'tmpdir'
require 'puppet'

module Conformance
  module Renames
    # Real Puppet: the resources of an environment's catalog.
    class Puppets
      def initialize
        @directory = Dir.mktmpdir
        at_exit { FileUtils.rm_rf(@directory) }
        settings = %w[confdir vardir rundir logdir codedir].flat_map { |name| ["--#{name}", File.join(@directory, name)] }
        Puppet.initialize_settings(settings)
        Puppet::Util::Log.close_all
      end

      # Titles and messages, or nil if Puppet refuses the code.
      def catalog(environments)
        loader = Puppet::Environments::Directories.new(environments, [])
        Puppet.override(environments: loader) do
          facts = Puppet::Node::Facts.new('one', {})
          node = Puppet::Node.new('one', environment: loader.get!(:production), facts: facts)
          resources = Puppet::Parser::Compiler.compile(node).resources.select { |it| it.type == 'Notify' }
          resources.map { |it| [it.title, it[:message].inspect] }
        end
      rescue Puppet::Error
        nil
      end
    end

    # One session with hiera-ls that renames something.
    class Editor
      CAPABILITIES = { workspace: { workspaceEdit: { documentChanges: true } } }.freeze

      def initialize(binary, root)
        @root = root
        @input, @output, @thread = Open3.popen2(binary, 'server', err: File::NULL)
        @id = 0
        ask('initialize', capabilities: CAPABILITIES, rootUri: "file://#{root}")
        notify('initialized', {})
      end

      # Applies the edits to the disk. False if the rename is refused.
      def rename(path, line, character, new_name)
        place = { textDocument: { uri: "file://#{@root}/#{path}" }, position: { line: line, character: character } }
        answer = ask('textDocument/rename', **place, newName: new_name)
        return false if answer['error']

        (answer.dig('result', 'documentChanges') || []).each { |change| edit(change) }
        true
      end

      def stop
        ask('shutdown')
        notify('exit')
        @thread.join
      end

      private

      def edit(change)
        path = change['textDocument']['uri'].delete_prefix('file://')
        lines = File.readlines(path)
        in_order = change['edits'].sort_by { |it| it['range']['start'].values_at('line', 'character') }
        in_order.reverse_each do |it|
          from, to = it['range'].values_at('start', 'end')
          raise "an edit of several lines in #{path}" unless from['line'] == to['line']

          lines[from['line']][from['character']...to['character']] = it['newText']
        end
        File.write(path, lines.join)
      end

      def ask(method, **params)
        @id += 1
        send_message(id: @id, method: method, **(params.empty? ? {} : { params: params }))
        loop do
          message = receive
          return message if message['id'] == @id && !message.key?('method')

          send_message(id: message['id'], result: nil) if message.key?('id') && message.key?('method')
        end
      end

      def notify(method, params = nil)
        send_message(method: method, **(params ? { params: params } : {}))
      end

      def send_message(message)
        text = JSON.generate({ jsonrpc: '2.0', **message })
        @input.write("Content-Length: #{text.bytesize}\r\n\r\n#{text}")
        @input.flush
      end

      def receive
        length = nil
        while (line = @output.gets) && line != "\r\n"
          length = line[/\AContent-Length: (\d+)/, 1]&.to_i || length
        end
        raise 'hiera-ls is gone' unless length

        JSON.parse(@output.read(length))
      end
    end
  end
end
