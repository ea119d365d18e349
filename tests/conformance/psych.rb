#!/usr/bin/env ruby
# frozen_string_literal: true
#
# Reads texts as Puppet's yaml_data and json_data do. Reads one JSON object a line, {"format": "yaml"|"json",
# "text": …}, and prints one line for each: {"value": …} or {"error": …}. Values are written with their types:
# null, true, false, ["s", text], ["b", hex], ["i", digits], ["f", bits in hex], [":", symbol], ["a", [items]],
# ["h", [[key, value], …]]. A root that is not a hash is null if Puppet treats the file as empty, and
# "not a hash" otherwise. The file's path in messages is F.

require 'json'
require 'yaml'

# YAML with cycles nests without end.
MAX_DEPTH = 500

def symkeys_to_string(value)
  case value
  when Hash
    value.each_with_object({}) do |(key, item), map|
      map[key.is_a?(Symbol) ? key.to_s : key] = symkeys_to_string(item)
    end
  when Array then value.map { |item| symkeys_to_string(item) }
  else value
  end
end

def string(value)
  text = value.dup.force_encoding('UTF-8')
  text.valid_encoding? ? ['s', text] : ['b', value.unpack1('H*')]
end

def encode(value, depth = 0)
  raise SystemStackError, 'stack level too deep' if depth > MAX_DEPTH

  case value
  when nil, true, false then value
  when String then string(value)
  when Symbol then [':', value.to_s]
  when Integer then ['i', value.to_s]
  when Float then ['f', value.nan? ? 'nan' : [value].pack('G').unpack1('H*')]
  when Array then ['a', value.map { |item| encode(item, depth + 1) }]
  when Hash then ['h', value.map { |key, item| [encode(key, depth + 1), encode(item, depth + 1)] }]
  else ['?', value.class.name]
  end
end

def read_yaml(text)
  data = YAML.safe_load(text, permitted_classes: [Symbol], aliases: true, filename: 'F')
  return data && 'not a hash' unless data.is_a?(Hash)

  encode(symkeys_to_string(data))
rescue Psych::DisallowedClass => e
  raise "Unable to parse (F): #{e.message}"
rescue StandardError, Psych::Exception => e
  raise "Unable to parse #{e.message.lines.first.chomp}"
end

def read_json(text)
  data = JSON.parse(text)
  data.is_a?(Hash) ? encode(data) : 'not a hash'
rescue JSON::ParserError, EncodingError => e
  raise "Unable to parse (F): #{e.message}"
end

$stdin.set_encoding('UTF-8')
$stdin.each_line do |line|
  request = JSON.parse(line)
  begin
    value = request['format'] == 'json' ? read_json(request['text']) : read_yaml(request['text'])
    answer = { value: value || nil }
  rescue SystemStackError
    answer = { error: 'stack level too deep' }
  rescue RuntimeError => e
    answer = { error: e.message }
  end
  puts JSON.generate(answer, max_nesting: false)
end
