# frozen_string_literal: true

require 'json'
require 'open3'

module Conformance
  # hiera-ls as an editor's server: encrypts values with its code action.
  class EncryptingEditor
    TITLE = /\AEncrypt this value with the key of level/.freeze

    # Yields an editor in the workspace at `root`.
    def self.open(binary, root)
      Open3.popen2(binary, 'server', '--log', 'off') do |input, output, _|
        editor = new(input, output, root)
        yield editor
        editor.close
      end
    end

    def initialize(input, output, root)
      @input = input.binmode
      @output = output.binmode
      @id = 0
      kinds = { codeActionLiteralSupport: { codeActionKind: { valueSet: ['refactor'] } } }
      ask('initialize', processId: nil, rootUri: "file://#{root}", workspaceFolders: [{ uri: "file://#{root}", name: 'w' }],
                        capabilities: { textDocument: { codeAction: kinds } })
      notify('initialized', {})
    end

    # The texts in encrypted form: `"ENC[PKCS7,…]"`, one for each line of the file.
    def encrypted(path, lines)
      uri = "file://#{path}"
      notify('textDocument/didOpen', textDocument: { uri: uri, languageId: 'yaml', version: 1, text: lines.join("\n") })
      lines.each_with_index.map do |line, number|
        place = { line: number, character: line.index('"') + 1 }
        actions = ask('textDocument/codeAction', textDocument: { uri: uri }, range: { start: place, end: place },
                                                 context: { diagnostics: [] })
        action = actions.find { |it| it['title'].match?(TITLE) }
        action && action['edit']['changes'][uri].first['newText']
      end
    end

    def close
      ask('shutdown', nil)
      notify('exit', nil)
    end

    private

    def ask(method, params)
      @id += 1
      send_message(id: @id, method: method, params: params)
      loop do
        message = read
        return message['result'] if message['id'] == @id && !message.key?('method')
      end
    end

    def notify(method, params)
      send_message(method: method, params: params)
    end

    def send_message(message)
      body = JSON.generate({ jsonrpc: '2.0', **message }.compact)
      @input.write("Content-Length: #{body.bytesize}\r\n\r\n#{body}")
      @input.flush
    end

    def read
      length = 0
      while (line = @output.gets("\r\n").chomp) != ''
        length = line[/\AContent-Length: (\d+)/, 1].to_i
      end
      JSON.parse(@output.read(length).force_encoding('UTF-8'))
    end
  end
end
