#!/usr/bin/env ruby
# frozen_string_literal: true

# Renames a class parameter in random environments, and compiles them with real Puppet before and after: the catalogs must be equal.
#
#   ruby -W0 tests/conformance/renames.rb [--binary PATH] [--seed N] [--renames 200] [--keep DIR]
#
# Puppet runs in this process: Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder.
# The new name is free, or it is taken: then the rename may be refused. Environments that Puppet refuses are left out.
# --keep copies an environment whose catalogs differ.

require 'fileutils'
require 'optparse'
require 'tmpdir'
%w[generator sides].each { |part| require_relative "renames/#{part}" }

module Conformance
  module Renames
    # Where a rename starts: in the manifest or in the data.
    PLACES = ['modules/m/manifests/init.pp', 'data/one.yaml', 'data/two.yaml'].freeze

    # One run: environments, renames, comparisons.
    class Run
      def initialize(options)
        @options = options
        @puppet = Puppets.new
        @counts = Hash.new(0)
      end

      def run
        number = 0
        while @counts.values_at(:same, :refused, :different).sum < @options[:renames]
          seed = (@options[:seed] * 1_000_000) + number
          Dir.mktmpdir('renames') { |directory| one(File.realpath(directory), seed) }
          number += 1
        end
        puts "seed #{@options[:seed]}, Puppet #{Puppet.version}: #{@counts[:same]} renames change no catalog, #{@counts[:refused]} are refused, " \
             "#{@counts[:different]} change one; Puppet refuses #{@counts[:invalid]} environments"
        @counts[:different].zero? && @counts[:same] > @counts[:refused]
      end

      private

      def one(directory, seed)
        root = File.join(directory, 'production')
        parameter = Generator.new(seed).write(root)
        before = @puppet.catalog(directory)
        return @counts[:invalid] += 1 unless before

        chance = Random.new(seed)
        new_name = chance.rand(4).zero? ? %w[a b x y1 l1].sample(random: chance) : 'renamed'
        new_name = 'renamed' if new_name == parameter
        original = "#{directory}-before"
        FileUtils.cp_r(directory, original)
        renamed = rename(root, parameter, new_name, chance)
        outcome = renamed ? compare(before, @puppet.catalog(directory)) : :refused
        @counts[outcome] += 1
        tell(seed, parameter, new_name, original, directory) if outcome == :different
      ensure
        FileUtils.rm_rf("#{directory}-before")
      end

      def compare(before, after)
        before == after ? :same : :different
      end

      # From the first place that has the key, in random order.
      def rename(root, parameter, new_name, chance)
        PLACES.shuffle(random: chance).each do |path|
          wanted = path.end_with?('.pp') ? "  $#{parameter} =" : "m::#{parameter}: ["
          line = File.readlines(File.join(root, path)).index { |it| it.start_with?(wanted) }
          next unless line

          editor = Editor.new(@options[:binary], root)
          name = path.end_with?('.pp') ? new_name : "m::#{new_name}"
          done = editor.rename(path, line, 3, name)
          editor.stop
          return done
        end
      end

      def tell(seed, parameter, new_name, before, after)
        puts "environment #{seed}: $#{parameter} as $#{new_name}"
        return unless @options[:keep]

        FileUtils.mkdir_p(@options[:keep])
        FileUtils.cp_r(before, File.join(@options[:keep], "#{seed}-before"))
        FileUtils.cp_r(after, File.join(@options[:keep], "#{seed}-after"))
      end
    end
  end
end

options = { binary: 'target/debug/hiera-ls', seed: Random.new_seed % 1_000_000, renames: 200 }
OptionParser.new do |parser|
  parser.on('--binary PATH') { |it| options[:binary] = File.expand_path(it) }
  parser.on('--seed N', Integer) { |it| options[:seed] = it }
  parser.on('--renames N', Integer) { |it| options[:renames] = it }
  parser.on('--keep DIR') { |it| options[:keep] = it }
end.parse!
exit(Conformance::Renames::Run.new(options).run)
