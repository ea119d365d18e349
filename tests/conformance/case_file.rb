# frozen_string_literal: true

# Reads the conformance cases: many small environments in one text file.
#
# A line `#= name` starts a case; the lines before the first one belong to every case of the file. A line
# `#- /path` starts a file of the case; `#- /path escaped` starts one whose text uses JSON's escapes and `\xFF` (for bytes
# that a text file cannot show: `\r`, `\ufeff`, `\u0000`). Special paths: `/queries`, `/facts.json`, `/trusted.json`,
# `/server_facts.json`, `/vars.json` and `/global/…` (the global layer, with its own hiera.yaml).
module Conformance
  FACTS_FILE = File.join(__dir__, 'facts.json')

  # One environment and its queries.
  Case = Struct.new(:name, :files, keyword_init: true) do
    # Each query is `{"key", "names"?, "merge"?, "default"?, "type"?, "override"?, "default_values_hash"?, "explain"?}`:
    # the arguments of `lookup()`. `names` are several keys instead of one.
    def queries
      files.fetch('/queries', '').each_line(chomp: true).reject { |line| line.strip.empty? }.map do |line|
        case line
        when /\A\{"/ then JSON.parse(line)
        when /\A"/ then { 'key' => JSON.parse(line) }
        else { 'key' => line }
        end
      end
    end

    # A JSON file of the case, or `fallback` if there is none.
    def json(path, fallback)
      files.key?(path) ? JSON.parse(files[path]) : fallback
    end

    def facts
      json('/facts.json', nil) || JSON.parse(File.read(FACTS_FILE, encoding: 'utf-8'))
    end

    # The files for Puppet: those of the environment, without the special ones.
    def environment_files
      special = %w[/queries /facts.json /trusted.json /server_facts.json /vars.json]
      files.reject { |path, _| special.include?(path) || path.start_with?('/global/') }
    end

    def global_files
      files.select { |path, _| path.start_with?('/global/') }.transform_keys { |path| path.delete_prefix('/global') }
    end
  end

  # All cases of a text.
  def self.parse(text)
    shared = {}
    cases = []
    files = shared
    content = nil
    escaped = {}
    text.each_line do |line|
      if (header = line[/\A#= (.+)$/, 1])
        files = {}
        cases << Case.new(name: header.strip, files: files)
        content = nil
      elsif (header = line[%r{\A#- (/.*)$}, 1])
        path, mode = header.strip.split(/\s+(?=escaped\z)/)
        content = files[path] = +''
        escaped[content.object_id] = true if mode
      elsif content
        content << line
      end
    end
    cases = [Case.new(name: 'case', files: {})] if cases.empty?
    cases.each do |one|
      one.files = shared.merge(one.files)
      one.files = one.files.to_h { |path, body| [path, escaped[body.object_id] ? unescape(body) : body] }
    end
  end

  # Escapes such as `\n` are those of JSON, `\xFF` is one byte; real line ends are dropped.
  def self.unescape(body)
    body.delete("\n").b.gsub(/\\(?:u\h{4}|x\h\h|.)/n) do |escape|
      escape.start_with?('\x') ? escape[2..].hex.chr.b : JSON.parse("[\"#{escape}\"]").first.b
    end
  end
end
