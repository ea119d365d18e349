#!/usr/bin/env ruby
# frozen_string_literal: true

# Compares what hiera-ls makes of encrypted values with real Puppet and hiera-eyaml: values, error texts, explanations.
#
#   ruby tests/conformance/eyaml.rb [--binary PATH] [--values N] [--seed N]
#
# The key pairs are made anew each time. First the environments of eyaml/environments.case, then N random values that
# hiera-eyaml encrypts. It needs Debian's puppet-agent and hiera-eyaml. The last line says `N passed, M failed`.

require 'json'
require 'optparse'
require_relative 'case_file'
require_relative 'puppet_lookup'
require_relative 'fuzz/sides'
require_relative 'eyaml/keys'

module Conformance
  # hiera-ls, asked to decrypt; relative key files are meant from the environment's directory.
  class DecryptingSide < Fuzz::OurSide
    private

    def command(laid_out)
      super + ['--encrypted', 'decrypt']
    end
  end

  # Goes through all environments and counts.
  class EyamlComparison
    ENVIRONMENTS = File.join(__dir__, 'eyaml/environments.case')

    def initialize(binary, random)
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
        one.queries.each_with_index { |query, index| judge(one, query, theirs[index], ours[index]) }
      end
    end

    # A hiera.yaml of version 3 takes no path from where it lies.
    def in_place(laid_out)
      file = File.join(laid_out.global, 'hiera.yaml')
      File.write(file, File.read(file).gsub('GLOBAL', laid_out.global)) if File.file?(file)
    end

    def judge(one, query, theirs, ours)
      # What Ruby's error_highlight appends.
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
        '/hiera.yaml' => <<~YAML,
          version: 5
          hierarchy:
            - {name: e, path: e.yaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: KEYS/one_private.pem, pkcs7_public_key: KEYS/one_public.pem}}
        YAML
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

    def random_text
      plain = Array.new(@random.rand(4) == 0 ? @random.rand(2000) : @random.rand(20)) { ALPHABET.sample(random: @random) }.join
      plain = plain.gsub('%{', '% {')
      blob = @keys.blob('one', plain)
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
