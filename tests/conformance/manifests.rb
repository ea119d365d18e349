#!/usr/bin/env ruby
# frozen_string_literal: true

# Compares what real Puppet's parser and `hiera-ls classes` find in manifests: declarations, lookups, inclusions, and the mistake for
# which Puppet refuses a manifest.
#
#   ruby tests/conformance/manifests.rb [--binary PATH] [--seed N] [--declarations 5000] [--directory DIR]... [--mutations N] [--show 5]
#
# Uses random manifests with this number of declarations in total, or the files of directories (with `--declarations`, both).
# `--mutations N` adds N broken copies of each file; in these, hiera-ls must still find what is before the broken place. Puppet runs in
# this process: Debian's 7.23 as it is installed, or Puppet 8 with RUBYLIB set to its lib folder.
#
# Each random manifest also exists in a copy with a small mistake, such as a missing comma. All fields of each record are compared,
# texts with folded white space, if Puppet can parse the file. hiera-ls must refuse the same files as Puppet, and with one of Puppet's
# messages at Puppet's position.

require 'fileutils'
require 'json'
require 'open3'
require 'optparse'
require 'tmpdir'
require_relative 'manifests/judge'
require_relative 'manifests/generator'
require_relative 'manifests/mistakes'
require_relative 'manifests/mutations'
require_relative 'manifests/verdict'

module Conformance
  module Manifests
    FIELDS = {
      'call' => %w[kind function keys line dynamic form lambda in],
      'default' => %w[kind name line parent type return_type hosts params]
    }.freeze

    # hiera-ls, for a directory.
    class OurSide
      def initialize(binary)
        @binary = binary
      end

      # {path below the directory => records}; an error is a record as well.
      def read(directory)
        output, problems, status = Open3.capture3(@binary, 'classes', '--root', directory, '--render-as', 'jsonl')
        raise "hiera-ls failed in #{directory}: #{problems}" unless status.success?

        records = output.each_line.map { |line| JSON.parse(line) }
        records.group_by { |record| record['file'] }
      end
    end

    # Compares and counts.
    class Comparison
      FILES_AT_ONCE = 200
      attr_reader :failed

      def initialize(options)
        @options = options
        @judge = Judge.start
        @ours = OurSide.new(options[:binary])
        @counts = Hash.new(0)
        @failed = []
        @seconds = Hash.new(0.0)
      end

      def run
        generated if @options[:declarations].positive?
        @options[:directories].each { |directory| real(directory) }
        report
        @failed.empty?
      end

      private

      def generated
        number = 0
        left = @options[:declarations]
        while left.positive?
          Dir.mktmpdir do |directory|
            FILES_AT_ONCE.times do
              seed = (@options[:seed] * 1_000_003) + number
              text, = Generator.new(seed).file
              File.binwrite(File.join(directory, format('g%07d.pp', number)), text)
              File.binwrite(File.join(directory, format('m%07d.pp', number)), Mistakes.new(seed).make)
              number += 1
            end
            before = @counts['declarations']
            compare(directory)
            left -= @counts['declarations'] - before
          end
        end
      end

      def real(directory)
        compare(directory)
        mutate(directory) if @options[:mutations].positive?
      end

      def compare(directory)
        directory = File.expand_path(directory)
        ours = timed('hiera-ls') { @ours.read(directory) }
        files_of(directory).each do |file|
          theirs = timed('Puppet') { @judge.read(File.join(directory, file)) }
          compare_file(directory, file, theirs, ours.fetch(file, []))
        end
      end

      def files_of(directory)
        Dir.glob('**/*.pp', base: directory).select { |file| File.file?(File.join(directory, file)) }.sort_by(&:b)
      end

      def compare_file(directory, file, theirs, ours)
        errors, ours = ours.partition { |record| record['kind'] == 'error' }
        path = File.join(directory, file)
        text = File.binread(path)
        @counts['files'] += 1
        records = theirs
        if theirs.is_a?(Judge::Refused)
          @counts['files that Puppet refuses'] += 1
          records = theirs.records
          @counts['of these, Puppet can parse'] += 1 if records
        end
        count(records) if records
        difference = Verdict.difference(text, theirs, errors.first) || (records && first_difference(records, ours))
        @failed << [path, difference, text] if difference
      end

      def count(records)
        calls, declarations = records.partition { |record| record['kind'] == 'call' }
        @counts['declarations'] += declarations.size
        @counts['parameters'] += declarations.sum { |record| record['params'].size }
        @counts['calls'] += calls.size
        @counts['constant keys'] += calls.sum { |record| record['keys'].size }
      end

      def first_difference(theirs, ours)
        theirs = theirs.map { |record| compared(record) }
        ours = ours.map { |record| compared(record) }
        index = (0...[theirs.size, ours.size].max).find { |at| theirs[at] != ours[at] }
        index && "Puppet:   #{theirs[index].to_json}\nhiera-ls: #{ours[index].to_json}"
      end

      def compared(record)
        fields = FIELDS.fetch(record['kind'], FIELDS['default'])
        fold(record.slice(*fields))
      end

      # Only the text of the file: values keep their spaces.
      def fold(value)
        case value
        when Hash then value.to_h { |name, item| [name, %w[keys literal].include?(name) ? item : fold(item)] }
        when Array then value.map { |item| fold(item) }
        when String then value.gsub(/\s+/, ' ')
        else value
        end
      end

      # Everything that ends before the broken place must be found as in the whole file.
      def mutate(directory)
        directory = File.expand_path(directory)
        whole = @ours.read(directory)
        random = Random.new(@options[:seed])
        files = files_of(directory).reject { |file| whole.fetch(file, []).any? { |record| record['kind'] == 'error' } }
        @options[:mutations].times do
          Dir.mktmpdir do |copy|
            places = files.to_h { |file| [file, Mutations.spoil(File.join(directory, file), File.join(copy, file), random)] }
            spoilt = @ours.read(copy)
            places.each { |file, place| compare_spoilt(directory, copy, file, place, whole.fetch(file, []), spoilt.fetch(file, [])) }
          end
        end
      end

      def compare_spoilt(directory, copy, file, place, whole, spoilt)
        @counts['spoilt files'] += 1
        text = File.binread(File.join(directory, file))
        before = whole.select { |record| done?(text, record, place) }
        @counts['records before spoilt places'] += before.size
        # Attributes of `class { … }` may come after the place.
        found = spoilt.map { |record| compared(record) }
        lost = before.reject { |record| found.include?(compared(record)) }
        return if lost.empty?

        path = File.join(copy, file)
        @failed << [path, "lost before byte #{place}: #{lost.first.to_json}", File.binread(path)]
      end

      # Whether a whole word follows the record before the place; otherwise the record could continue there.
      def done?(text, record, place)
        stop = record['offset'] + record['length']
        stop < place && text[stop...place].match?(/\S\s/n)
      end

      def timed(side)
        start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        yield
      ensure
        @seconds[side] += Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
      end

      def report
        @failed.first(@options[:show]).each do |file, difference, text|
          puts "--- #{file}", (text.size < 3_000 ? text : "(#{text.size} bytes)"), difference
        end
        @counts.each { |name, count| puts "#{name}: #{count}" }
        @seconds.each { |side, seconds| puts format('%s: %.1f s', side, seconds) }
        puts "#{@counts['files'] + @counts['spoilt files'] - @failed.size} files agree, #{@failed.size} do not (seed #{@options[:seed]})"
      end
    end
  end
end

options = { binary: 'target/debug/hiera-ls', seed: Random.new_seed % 1_000_000, declarations: nil, directories: [], mutations: 0, show: 5 }
OptionParser.new do |parser|
  parser.on('--binary PATH') { |path| options[:binary] = File.expand_path(path) }
  parser.on('--seed N', Integer) { |seed| options[:seed] = seed }
  parser.on('--declarations N', Integer) { |count| options[:declarations] = count }
  parser.on('--directory DIR') { |directory| options[:directories] << directory }
  parser.on('--mutations N', Integer) { |count| options[:mutations] = count }
  parser.on('--show N', Integer) { |count| options[:show] = count }
end.parse!
options[:declarations] ||= options[:directories].empty? ? 5_000 : 0
exit(Conformance::Manifests::Comparison.new(options).run ? 0 : 1)
