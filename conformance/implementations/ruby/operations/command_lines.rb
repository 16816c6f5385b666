# frozen_string_literal: true

require "digest"
require "shellwords"
require "stringio"
require "tmpdir"
require "yaml"

# Command lines of `hybrid-search` in this process (CUR-5): the sessions of `conformance/command_lines/cases.yml` and of
# `sessions/` next to it. `conformance/command_lines/session.py` says how output is stated.
class CommandLines
  FILES = Dir[File.expand_path("../../../command_lines/{cases,sessions/*}.yml", __dir__)].freeze
  SETTING = { "COLUMNS" => "100" }.freeze
  FOR_TEXTS = %w[-h --help --version completion].freeze
  LONGEST_STDOUT = 20_000

  def self.sessions
    @sessions ||= FILES.map { |path| YAML.safe_load_file(path, aliases: true) }.inject(:merge)
  end

  def initialize
    @cursor = ""
  end

  def run(session)
    session.fetch("files", {}).each do |name, content|
      FileUtils.mkdir_p(File.dirname(name))
      File.binwrite(name, content.is_a?(Hash) ? repeated(content["content"], content["times"]) : content)
    end
    @before = files
    session["steps"].map { |step| told(step.is_a?(String) ? { "run" => step } : step) }
  end

  private

  def told(step)
    arguments = Shellwords.split(step["run"]).flat_map { |argument| numbered(argument.gsub("{cursor}") { @cursor }) }
    stdout, stderr, status = asked(arguments, read(step), step.fetch("environment", {}))
    @cursor = cursor(stdout) || @cursor
    changed = changed_files
    answer = { "run" => step["run"], "stdout" => shown(stdout, arguments), "stderr" => stderr, "status" => status }
    changed.empty? ? answer : { **answer, "files" => changed }
  end

  # Return an argument, or the numbers that it stands for.
  def numbered(argument)
    found = argument.match(/\A\{([0-9]+)\.\.([0-9]+)\}\z/)
    found ? (found[1].to_i..found[2].to_i).map(&:to_s) : [argument]
  end

  def asked(arguments, stdin, environment)
    kept = ENV.to_h
    own = kept.reject { |name, _| name.start_with?("HYBRID_SEARCH_") && name != "HYBRID_SEARCH_KERNELS" }
    ENV.replace({ **own, **SETTING, **environment })
    streams = [StringIO.new(stdin.b), StringIO.new("".b), StringIO.new("".b)]
    cli = HybridSearch.const_get(:Cli)
    console = cli.const_get(:Console).new(stdin: streams[0], stdout: streams[1], stderr: streams[2])
    status = cli.const_get(:Main).main(arguments, console)
    [*streams.drop(1).map { |stream| stream.string.force_encoding("UTF-8") }, status]
  ensure
    ENV.replace(kept)
  end

  def read(step)
    repeated(step.fetch("stdin", ""), step.fetch("times", 1))
  end

  def repeated(text, times)
    content = text.b
    return content * times unless content.include?("{place}")

    Array.new(times) { |place| content.gsub("{place}", place.to_s) }.join
  end

  def cursor(stdout)
    JSON.parse(stdout.lines.last.to_s)["next_cursor"]
  rescue JSON::ParserError, NoMethodError, TypeError
    nil
  end

  def shown(stdout, arguments)
    unless json?(stdout)
      return "a text" if FOR_TEXTS.any? { |flag| arguments.include?(flag) }

      return stdout.split("\n", -1).map { |line| line.split.join(" ").gsub(" …", "…") }.join("\n")
    end
    stdout.size > LONGEST_STDOUT ? Digest::SHA256.hexdigest(stdout) : stdout
  end

  def json?(stdout)
    stdout.lines.each { |line| JSON.parse(line, allow_nan: true) }
    true
  rescue JSON::ParserError
    false
  end

  def changed_files
    before = @before
    @before = files
    names = (before.keys | @before.keys).sort
    names.reject { |name| before[name] == @before[name] }.to_h { |name| [name, @before[name]] }
  end

  # The SHA-256 of each file; of an index, which no two programs write alike, only that it is there.
  def files
    found = Dir.glob("**/*", File::FNM_DOTMATCH).select { |path| File.file?(path) && !path.include?(".hsx-") }
    found.to_h { |path| [path, path.end_with?(".hsx") ? "hsx" : Digest::SHA256.file(path).hexdigest] }
  end
end

Conformance.operation("command_lines.session") do |_params, given, _trace|
  Dir.mktmpdir(*Conformance::Stores::IN_MEMORY) do |folder|
    Dir.chdir(folder) { CommandLines.new.run(CommandLines.sessions.fetch(given["session"])) }
  end
end
