# frozen_string_literal: true

require "json"
require "pathname"
require "rack"
require "shellwords"
require "stringio"
require "tmpdir"
require "yaml"

# Calls of new users who come from other libraries (ERR-1): every entry of conformance/mistakes.yml.
RSpec.describe "mistakes and habits" do
  file = File.join(WarningsAsErrors::ROOT, "conformance/mistakes.yml")
  entries = YAML.safe_load_file(file, aliases: true).reject { |entry| entry.key?("python") && !entry.key?("ruby") }
  typed = entries.reject { |entry| entry.key?("run") || entry.key?("http") }
  records = [
    { id: "1", title: "Expressions", content: "Rule 6-2-1: no assignment in sub-expressions",
      metadata: { lang: "en", year: 2020 } },
    { id: "2", title: "Arithmetic", content: "Rule 5-0-15: array indexing is the only pointer arithmetic",
      metadata: { lang: "en", year: 2021 } },
    { id: "3", title: "中文", content: "混合检索", metadata: { lang: "zh", year: 2022 } }
  ]

  before(:context) do
    @folder = Dir.mktmpdir
    @handbook = File.join(@folder, "handbook.hsx")
    if Gem::Specification.find_all_by_name("sqlite3").any?
      HybridSearch::Index.open(@handbook, embedding: HybridSearch::HashingEmbedder.new) { |index| index.add(records) }
    end
  end

  after(:context) { FileUtils.remove_entry(@folder) }

  define_method(:filled) { |**options| HybridSearch::Index.new(**options).tap { |index| index.add(records) } }

  # Where classes of the library have their short names.
  def session(code)
    index = filled
    page = index.search("rule")
    names = { index:, page:, hit: page[0], handbook: @handbook,
              vectors: code.include?("vectors") ? filled(embedding: HybridSearch::HashingEmbedder.new) : nil }
    HybridSearch.module_eval("binding", __FILE__, __LINE__).tap do |binding|
      names.each { |name, value| binding.local_variable_set(name, value) }
    end
  end

  def outcome(code)
    Signatures.wrong { session(code).eval(code) }
  end

  def printed(line)
    streams = [StringIO.new("".b), StringIO.new("".b), StringIO.new("".b)]
    console = HybridSearch::Cli::Console.new(stdin: streams[0], stdout: streams[1], stderr: streams[2])
    status = HybridSearch::Cli::Main.main(Shellwords.split(line), console)
    [status, streams.drop(1).map { |stream| stream.string.force_encoding("UTF-8") }.join]
  end

  def answer(entry)
    method, target = entry["http"].split
    path, query = target.split("?")
    body = entry.key?("body") ? JSON.generate(entry["body"]) : ""
    env = { "REQUEST_METHOD" => method, "PATH_INFO" => path, "SCRIPT_NAME" => "", "HTTP_HOST" => "localhost",
            "QUERY_STRING" => query.to_s.gsub(/[^-=&\[\].\w%]/) { |sign| format("%%%02X", sign.ord) },
            "CONTENT_LENGTH" => body.bytesize.to_s, "rack.input" => StringIO.new(body),
            "CONTENT_TYPE" => entry.fetch("type", "application/json") }.compact
    status, _, parts = HybridSearch::HttpService.new(filled, allow_anonymous_writes: true).call(env)
    [status, parts.join.dup.force_encoding("UTF-8")]
  end

  def error_of(entry)
    name = entry.fetch("raises", "InvalidInputError")
    name = name["ruby"] unless name.is_a?(String)
    HybridSearch.const_defined?(name, false) ? HybridSearch.const_get(name) : Object.const_get(name)
  end

  def plain(value)
    value.is_a?(Array) ? value.map { |item| plain(item) } : value
  end

  typed.each do |entry|
    code = entry["ruby"] || entry["both"]

    it "#{entry["from"]}: #{code}" do
      skip "needs the gem sqlite3" if code.include?("handbook") && !File.exist?(@handbook)
      next expect(plain(outcome(code))).to eq(entry["gives"]) if entry.key?("gives")

      expect { outcome(code) }.to raise_error(error_of(entry), /#{Regexp.escape(entry["says"])}/)
    end
  end

  entries.select { |entry| entry.key?("run") }.each do |entry|
    it "#{entry["from"]}: #{entry["run"]}" do
      skip "needs the gem sqlite3" unless File.exist?(@handbook)
      status, output = printed(entry["run"].gsub("HANDBOOK", @handbook))
      expect(output).to include(entry["says"])
      expect(status).to eq(entry.fetch("status", 2))
    end
  end

  entries.select { |entry| entry.key?("http") }.each do |entry|
    it "#{entry["from"]}: #{entry["http"]}" do
      status, body = answer(entry)
      expect(body).to include(entry["says"])
      expect(status).to eq(entry["status"])
    end
  end

  it "are numerous" do
    expect(typed.size).to be >= 120
  end
end
