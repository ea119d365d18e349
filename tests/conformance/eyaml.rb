#!/usr/bin/env ruby
# frozen_string_literal: true

# Compares how hiera-ls reads encrypted values with real Puppet and hiera-eyaml: values, error texts, explanations.
#
#   ruby tests/conformance/eyaml.rb [--binary PATH] [--values N] [--seed N]
#
# Each run has new key pairs. First come the environments of eyaml/environments.case, then N random values that hiera-eyaml
# encrypts, and N that hiera-ls encrypts for an editor and hiera-eyaml decrypts. Needs Debian's puppet-agent and hiera-eyaml. The
# last line is `N passed, M failed`.

require 'json'
require 'optparse'
require_relative 'case_file'
require_relative 'puppet_lookup'
require_relative 'fuzz/sides'
require_relative 'eyaml/keys'
require_relative 'eyaml/editor'

module Conformance
  # hiera-ls, which decrypts; relative paths of keys start from the environment's directory.
  class DecryptingSide < Fuzz::OurSide
    private

    def command(laid_out)
      super + ['--encrypted', 'decrypt']
    end
  end

  # Goes through all environments and counts.
  class EyamlComparison
    HIERA_YAML = <<~YAML
      version: 5
      hierarchy:
        - {name: e, path: e.yaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: KEYS/one_private.pem, pkcs7_public_key: KEYS/one_public.pem}}
    YAML
    # No action encrypts a value that is encrypted already.
    ENCRYPTED = %r{ENC\[(\w+,)?[a-zA-Z0-9+/ =\n]+\]}.freeze
    ENVIRONMENTS = File.join(__dir__, 'eyaml/environments.case')

    def initialize(binary, random)
      @binary = binary
      @random = random
      @keys = EyamlKeys.new
      @puppet = Fuzz::PuppetSide.new
      @ours = DecryptingSide.new(binary, Puppet.version.to_i)
      @passed = 0
      @failed = 0
      @found = 0
    end

    def run(values)
      Conformance.parse(File.read(ENVIRONMENTS, encoding: 'utf-8')).each { |one| compare(one) }
      compare(random_values(values)) if values.positive?
      encrypt(Array.new(values) { random_plain }.reject { |text| text.empty? || text.match?(ENCRYPTED) } + ['x' * 5120, "-----\nkey\n-----\n"])
      check_that_values_were_decrypted
      puts "#{@passed} passed, #{@failed} failed"
      @failed.zero?
    end

    private

    # Two sides that fail in the same way agree, too.
    def check_that_values_were_decrypted
      return if @found * 2 > @passed

      @failed += 1
      puts "Puppet found only #{@found} values"
    end

    def compare(one)
      one.files = one.files.transform_values { |text| @keys.filled_in(text) }
      Fuzz::LaidOut.open(one) do |laid_out|
        in_place(laid_out)
        theirs = Dir.chdir(laid_out.environment) { @puppet.ask_all(laid_out, one.queries) }
        ours = @ours.ask_all(laid_out, one.queries)
        theirs = ask_again(laid_out, one.queries, theirs, ours)
        one.queries.each_with_index { |query, index| judge(one, query, theirs[index], ours[index]) }
      end
    end

    # hiera-eyaml decrypts what hiera-ls encrypted.
    def encrypt(texts)
      Dir.mktmpdir('editor') do |root|
        root = File.realpath(root)
        FileUtils.mkdir_p(File.join(root, 'data'))
        File.write(File.join(root, 'hiera.yaml'), @keys.filled_in(HIERA_YAML))
        File.write(path = File.join(root, 'data/e.yaml'), '')
        lines = texts.each_with_index.map { |text, number| "k#{number}: #{JSON.generate(text)}" }
        EncryptingEditor.open(@binary, root) do |editor|
          editor.encrypted(path, lines).zip(texts) { |blob, text| judge_encrypted(blob, text) }
        end
      end
    end

    # A final line end is doubled, because a lookup removes one.
    def judge_encrypted(blob, text)
      plain = blob && @keys.plain_text('one', blob[1..-2])
      return @passed += 1 if plain && plain.chomp == text && plain.start_with?(text)

      @failed += 1
      puts "encrypted #{text.inspect[0, 200]}: hiera-eyaml reads #{plain.inspect[0, 200]}"
    end

    # With the wrong key, OpenSSL tries a random one; once in 256 times, the result looks like a text.
    def ask_again(laid_out, queries, theirs, ours)
      queries.each_index.map do |index|
        is_garbage = ours[index]['error'].to_s.end_with?('Error was bad decrypt') && theirs[index]['status'] == 'found'
        is_garbage ? @puppet.ask_all(laid_out, [queries[index]]).first : theirs[index]
      end
    end

    # Paths in a hiera.yaml of version 3 are not relative to its directory.
    def in_place(laid_out)
      file = File.join(laid_out.global, 'hiera.yaml')
      File.write(file, File.read(file).gsub('GLOBAL', laid_out.global)) if File.file?(file)
    end

    def judge(one, query, theirs, ours)
      # The text that Ruby's error_highlight appends.
      theirs['error'] = theirs['error'].sub(/\n\n .*\z/m, '') if theirs['error']
      @found += 1 if theirs['status'] == 'found'
      difference = Fuzz::Difference.of(theirs, ours)
      if difference.nil?
        @passed += 1
        return
      end
      @failed += 1
      puts "#{one.name}: #{query['key']}: #{difference}"
      puts "  Puppet:   #{JSON.generate(theirs)[0, 900]}", "  hiera-ls: #{JSON.generate(ours)[0, 900]}"
    end

    # One file with N values, some of them deep inside.
    def random_values(count)
      members = Array.new(count) { |index| ["k#{index}", random_value(2)] }
      Case.new(name: 'random values', files: {
        '/hiera.yaml' => HIERA_YAML,
        '/data/e.yaml' => JSON.generate(members.to_h),
        '/queries' => members.map(&:first).join("\n")
      })
    end

    def random_value(depth)
      case depth.zero? ? 0 : @random.rand(8)
      when 0..4 then random_text
      when 5 then Array.new(@random.rand(4)) { random_value(depth - 1) }
      when 6 then Array.new(@random.rand(4)) { |index| ["m#{index}", random_value(depth - 1)] }.to_h
      else @random.rand(1000)
      end
    end

    ALPHABET = ['a', 'B', '7', ' ', "\n", "\r", "\t", ':', '%', '{', '[', ']', 'ENC[', '"', "'", '\\', 'é', '✓', "\u{1F600}"].freeze

    def random_plain
      length = @random.rand(4).zero? ? @random.rand(2000) : @random.rand(20)
      text = Array.new(length) { ALPHABET.sample(random: @random) }.join
      text.gsub('%{', '% {')
    end

    def random_text
      blob = @keys.blob('one', random_plain)
      case @random.rand(6)
      when 0 then "before #{blob} behind\n"
      when 1 then "#{blob}é#{blob}"
      when 2 then blob.sub('PKCS7,', '')
      else blob
      end
    end
  end
end

if $PROGRAM_NAME == __FILE__
  options = { binary: 'target/debug/hiera-ls', values: 150, seed: Random.new_seed % 1_000_000 }
  OptionParser.new do |parser|
    parser.on('--binary PATH') { |path| options[:binary] = path }
    parser.on('--values N', Integer) { |count| options[:values] = count }
    parser.on('--seed N', Integer) { |seed| options[:seed] = seed }
  end.parse!
  puts "seed #{options[:seed]}"
  comparison = Conformance::EyamlComparison.new(File.expand_path(options[:binary]), Random.new(options[:seed]))
  exit comparison.run(options[:values])
end
