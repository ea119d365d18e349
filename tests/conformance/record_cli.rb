#!/usr/bin/env ruby
# frozen_string_literal: true

# Runs real `puppet lookup` with the arguments of every command in cli/*.case and records its output.
#
#   ruby tests/conformance/record_cli.rb [--check] [NAME ...]
#
# A case file has the form that case_file.rb explains, with a special file `/commands`: the arguments of one command a
# line, quoted as for a shell; `${ENV}` is the environment's directory. Every command also gets the node, its facts, the
# environment and the global layer's hiera.yaml.
# The output goes to cli/NAME.p7.txt or .p8.txt, by the version of the Puppet that `require` finds. The first line names the
# versions (a version without a file has the same output as the other one; new files must be named). `#= ` names the case, `$ ` is a
# command, `> ` a line of its standard output, `! ` of its standard error, `= ` its exit status. `--check` writes nothing, and exits with 1 if anything would change.

require 'json'
require 'fileutils'
require 'shellwords'
require 'tmpdir'
require 'puppet'
require 'puppet/util/command_line'
require 'puppet/application/lookup'
require_relative 'case_file'

FOLDER = File.join(__dir__, 'cli')
NODE = 'node1.example.com'

# The case's files on the disk, and Puppet's own folders beside them.
class Workspace
  attr_reader :environment, :global

  def initialize(root, one)
    @root = root
    @environment = File.join(root, 'environments', 'production')
    @global = File.join(root, 'global')
    write(@environment, one.environment_files.reject { |path, _| path == '/commands' })
    write(@global, one.global_files)
    @facts = File.join(root, 'facts.json')
    File.write(@facts, File.read(File.join(FOLDER, 'facts.json')))
  end

  def arguments
    folders = %w[confdir vardir rundir logdir codedir vendormoduledir].flat_map do |setting|
      ["--#{setting}", File.join(@root, 'puppet', setting)]
    end
    [*folders, '--environmentpath', File.dirname(@environment), '--environment', 'production', '--basemodulepath', '',
     '--hiera_config', File.join(@global, 'hiera.yaml'), '--node', NODE, '--facts', @facts]
  end

  private

  def write(folder, files)
    FileUtils.mkdir_p(folder)
    files.each do |path, body|
      file = File.join(folder, path)
      FileUtils.mkdir_p(File.dirname(file))
      File.binwrite(file, body)
    end
  end
end

# `puppet lookup` in a process of its own: standard output, standard error, exit status.
def run(arguments, root)
  out = File.join(root, 'out')
  err = File.join(root, 'err')
  child = fork do
    $stdout.reopen(out, 'w')
    $stderr.reopen(err, 'w')
    ARGV.replace([])
    Puppet::Util::CommandLine.new('puppet', ['lookup', *arguments]).execute
  end
  _, status = Process.wait2(child)
  [File.read(out), File.read(err), status.exitstatus]
end

def prefixed(sign, text)
  text.gsub(/\e\[[0-9;]*m/, '').each_line(chomp: true).map { |line| "#{sign} #{line}".rstrip }
end

def answers(one)
  lines = ["#= #{one.name}"]
  Dir.mktmpdir('cli') do |root|
    space = Workspace.new(root, one)
    one.files.fetch('/commands', '').each_line(chomp: true) do |command|
      next if command.strip.empty?

      words = Shellwords.split(command.gsub('${ENV}', space.environment))
      out, err, status = run([*space.arguments, *words], root)
      answer = [*prefixed('>', out), *prefixed('!', err), "= #{status}"].map do |line|
        line.gsub(space.environment, '${ENV}').gsub(space.global, '${GLOBAL}').gsub(/0x0[0-9a-f]{15}/, '0x0')
      end
      lines.push("$ #{command}", *answer)
    end
  end
  lines
end

check = ARGV.delete('--check')
names = ARGV.map { |name| File.basename(name, '.case') }
version = "p#{Puppet.version.to_i}"
names = Dir.glob("*.#{version}.txt", base: FOLDER).sort.map { |file| file[/\A[^.]+/] } if names.empty?
changed = 0
names.each do |name|
  cases = Conformance.parse(File.read(File.join(FOLDER, "#{name}.case"), encoding: 'utf-8'))
  header = "# puppet #{Puppet.version}, ruby #{RUBY_VERSION}, psych #{Psych::VERSION}"
  text = [header, *cases.flat_map { |one| answers(one) }].join("\n") + "\n"
  file = File.join(FOLDER, "#{name}.#{version}.txt")
  next if File.exist?(file) && File.read(file, encoding: 'utf-8') == text

  changed += 1
  check ? puts("#{name}: Puppet answers otherwise") : File.write(file, text)
end
puts "#{names.size} files, #{changed} changed"
exit(1) if check && changed.positive?
