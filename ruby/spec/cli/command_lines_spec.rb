# frozen_string_literal: true

require "digest"
require "json"
require "shellwords"
require "stringio"
require "tmpdir"
require "yaml"
require_relative "../spec_helper"

# Sessions of the table of command lines (CUR-5), with their calls checked against signatures; the long ones without.
# `bin/conformance` plays all of them. The seed of rspec chooses those of a run, and `rake spec:nightly` plays all.
RSpec.describe "hybrid-search" do
  before { skip "needs the gem sqlite3" unless Gem::Specification.find_all_by_name("sqlite3").any? }

  # Files that load on first use are found from another folder too.
  before(:context) { $LOAD_PATH.unshift(File.join(WarningsAsErrors::ROOT, "ruby/lib")) }
  after(:context) { $LOAD_PATH.shift }

  folder = File.join(WarningsAsErrors::ROOT, "conformance/command_lines")
  files = Dir[File.join(folder, "{cases,sessions/*}.yml")]
  sessions = files.map { |path| YAML.safe_load_file(path, aliases: true) }.inject(:merge)
  golden = JSON.parse(File.read(File.join(folder, "golden.json"), encoding: "UTF-8"))

  def told_by(arguments, stdin)
    streams = [StringIO.new(stdin.b), StringIO.new("".b), StringIO.new("".b)]
    console = HybridSearch::Cli::Console.new(stdin: streams[0], stdout: streams[1], stderr: streams[2])
    status = HybridSearch::Cli::Main.main(arguments, console)
    [*streams.drop(1).map { |stream| stream.string.force_encoding("UTF-8") }, status]
  end

  def with_environment(environment)
    kept = ENV.to_h
    own = kept.reject { |name, _| name.start_with?("HYBRID_SEARCH_") && name != "HYBRID_SEARCH_KERNELS" }
    ENV.replace({ **own, "COLUMNS" => "100", **environment })
    yield
  ensure
    ENV.replace(kept)
  end

  def cursor_of(output)
    JSON.parse(output.lines.last.to_s)["next_cursor"]
  rescue JSON::ParserError, NoMethodError
    nil
  end

  def prepare(files)
    files.each do |name, content|
      FileUtils.mkdir_p(File.dirname(name))
      File.binwrite(name, content.is_a?(Hash) ? repeated(content["content"], content["times"]) : content)
    end
  end

  def play(steps)
    cursor = ""
    steps.map do |step|
      given = step.is_a?(String) ? { "run" => step } : step
      arguments = Shellwords.split(given["run"]).flat_map { |argument| numbered(argument.gsub("{cursor}", cursor)) }
      told = with_environment(given.fetch("environment", {})) { told_by(arguments, read_by(given)) }
      cursor = cursor_of(told.first) || cursor
      %w[run stdout stderr status].zip([given["run"], shown(told[0], arguments), *told.drop(1)]).to_h
    end
  end

  def numbered(argument)
    found = argument.match(/\A\{([0-9]+)\.\.([0-9]+)\}\z/)
    found ? (found[1].to_i..found[2].to_i).map(&:to_s) : [argument]
  end

  def read_by(step)
    repeated(step.fetch("stdin", ""), step.fetch("times", 1))
  end

  def repeated(text, times)
    times == 1 ? text : Array.new(times) { |place| text.gsub("{place}", place.to_s) }.join
  end

  def json?(output)
    output.each_line.all? { |line| JSON.parse(line) || true }
  rescue JSON::ParserError
    false
  end

  # Each program has its own layout of help and completion scripts; of tables, only the words are compared.
  def shown(output, arguments)
    unless json?(output)
      return "a text" if arguments.intersect?(%w[-h --help --version completion])

      return output.split("\n", -1).map { |line| line.split.join(" ").gsub(" …", "…") }.join("\n")
    end
    output.length > 20_000 ? Digest::SHA256.hexdigest(output) : output
  end

  long = { unchecked: "a long session", nightly: "with every call checked" }
  every_night = { nightly: "as is", by_day: false }
  sessions = sessions.reject { |_, session| session["programs"] == %w[python] }
  chosen = sessions.keys.sample(sessions.size / 12, random: Random.new(RSpec.configuration.seed))
  sessions.each do |name, session|
    tags = %w[handbook locate many].include?(name) ? long : {}
    tags = { **tags, **every_night } unless chosen.include?(name)
    it "prints the output of the reference in the session #{name}", **tags do
      Dir.mktmpdir do |place|
        Dir.chdir(place) do
          prepare(session.fetch("files", {}))
          expect(play(session["steps"])).to eq(golden[name].map { |told| told.except("files") })
        end
      end
    end
  end

  it "shows its progress" do
    seconds = [0.0, 1.0, 1.05, 90.0].each
    stderr = StringIO.new("".b)
    console = HybridSearch::Cli::Console.new(stdin: StringIO.new, stdout: StringIO.new, stderr:)
    bar = HybridSearch::Cli::ProgressBar.new(console, 1000, clock: -> { seconds.next })
    bar.stored({ "read" => 10 }, 250)
    bar.stored({ "read" => 11 }, 260)
    bar.stored({ "read" => 450 }, 500)
    bar.finish
    shown = stderr.string.force_encoding("UTF-8").split("\r").map { |picture| picture.delete_suffix("\e[K").strip }
    expect(shown).to eq(["", "######------------------  25 %  10 records  10/s  00:01, 00:03 left",
                         "############------------  50 %  450 records  5/s  01:30, 01:30 left",
                         "############------------  50 %  450 records  5/s  01:30, 01:30 left\e[K"])
    expect(HybridSearch::Cli::ProgressBar.duration(3723.9)).to eq("1:02:03")
  end
end
