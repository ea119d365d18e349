# frozen_string_literal: true

require 'fileutils'
require 'json'
require 'tmpdir'
require_relative '../case_file'

module Conformance
  module Mistakes
    ROOT = File.expand_path('../../..', __dir__)

    # A change of an environment: the new texts of files (nil for a deleted one), the file and the line near which a finding should
    # be, and keys to look up in addition to those of all files.
    Edit = Struct.new(:files, :path, :line, :keys, :others, keyword_init: true) do
      # Whether a finding is where users look for it.
      def near?(finding, lines)
        path, line, _, _, related = finding
        places = [[path, line]] + related.map { |place| [place['path'], place.dig('start', 'line')] }
        others.to_a.include?(path) || places.any? { |file, at| file == self.path && (at - self.line).abs <= lines }
      end
    end

    # Files below a directory, and the nodes.
    class Environment
      attr_reader :name, :root, :nodes

      def initialize(name, root, nodes)
        @name = name
        @root = root
        @nodes = nodes
      end

      # The paths of data files and of hiera.yaml.
      def data_files
        @data_files ||= files.grep(/\.(ya?ml|json)\z/).grep(%r{(\A|/)(data|hieradata)/})
      end

      def configs
        @configs ||= files.grep(%r{(\A|/)hiera\.yaml\z})
      end

      def files
        @files ||= Dir.glob('**/*', base: @root).select { |it| File.file?(File.join(@root, it)) }.sort
      end

      def read(path)
        File.read(File.join(@root, path), encoding: 'UTF-8')
      end

      # A copy with the edit.
      def with(edit)
        directory = Dir.mktmpdir('mistake')
        FileUtils.cp_r("#{@root}/.", directory)
        edit.files.each do |path, text|
          file = File.join(directory, path)
          text ? FileUtils.mkdir_p(File.dirname(file)) && File.binwrite(file, text) : FileUtils.rm_r(file)
        end
        Environment.new(@name, directory, @nodes)
      end

      def remove
        FileUtils.rm_rf(@root)
      end

      # Puppet's answers for each node and every key in a file. Lazy, because lookups take time.
      def answers(judge, more = nil)
        asked = keys | more.to_a
        @nodes.lazy.map { |name, node| [name, judge.ask_all(@root, node, asked)] }
      end

      # Every root key that can be found in a text that may be broken.
      def keys
        data_files.flat_map do |path|
          read(path).scrub.scan(/^["']?([a-z][\w:.-]*?)["']?\s*:(?=\s)/).flatten
        end.uniq.grep_v(/\Alookup_options|[.]/)
      end
    end

    # Yields the sample, the environments of the case file, and those of the directories.
    def self.environments(directories)
      Dir.mktmpdir('mistakes') do |work|
        work = File.realpath(work)
        yield sample(File.join(work, 'sample'))
        Conformance.parse(File.read(File.join(__dir__, 'environments.case'), encoding: 'UTF-8')).each do |one|
          yield written(one, File.join(work, one.name))
        end
        directories.each { |directory| yield corpus(directory, File.join(work, "corpus-#{File.basename(directory)}")) }
      end
    end

    def self.sample(directory)
      FileUtils.cp_r(File.join(ROOT, 'examples/control-repo'), directory)
      sets = Dir.glob('.hiera-ls/facts/*.json', base: directory).sort.map { |path| JSON.parse(File.read(File.join(directory, path))) }
      Environment.new('sample', directory, sets.to_h { |set| [set['certname'], set] })
    end

    def self.written(one, directory)
      one.environment_files.each do |path, text|
        FileUtils.mkdir_p(File.dirname(File.join(directory, path)))
        File.write(File.join(directory, path), text)
      end
      Environment.new(one.name, directory, { PuppetLookup::NODE => { 'facts' => one.facts } })
    end

    def self.corpus(source, directory)
      FileUtils.cp_r(source, directory)
      sets = Dir.glob('facts.*.json', base: directory).sort
      nodes = sets.to_h { |path| [path, { 'facts' => JSON.parse(File.read(File.join(directory, path))) }] }
      FileUtils.rm_f(Dir.glob(File.join(directory, '{facts,expected,run}.*')))
      Environment.new(File.basename(source), directory, nodes)
    end
  end
end
