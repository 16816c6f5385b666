# frozen_string_literal: true

require "digest/sha2"

# A case as the nodes of an OpenSearch cluster; the form of its replies is told in `scripted_cluster.py`.
class ScriptedCluster
  ACTIONS = %w[create index delete].freeze
  EACH = "each"
  LOST = "lost"
  RAW = "raw"
  FOUND = "found"
  MOST_LINES = 40
  LONGEST_LINE = 30_000

  # One whose pauses take no time, and in which no other time passes than that of requests.
  attr_reader :timing

  def initialize(given)
    @replies = given["replies"].merge(given.fetch("base", {}), given["replies"]).transform_values(&:dup)
    @takes = given["takes"]
    @asked = []
    @clock = 0.0
    @timing = HybridSearch::Client::Timing.new(clock: -> { @clock }, now: -> { 1.5 }, chance: -> { 0.0 },
                                               sleep: ->(seconds) { @clock += seconds })
  end

  def request(method, path, body, timeout)
    lines = (body || "").split("\n").reject(&:empty?)
    note(method, path, lines, timeout)
    given = @replies.find { |ending, _| path.split("?")[0].end_with?(ending) }&.last
    return answer(400, JSON.generate({ "error" => "nothing answers #{path}" })) if given.nil?

    status, value = given.size > 1 ? given.shift : given[0]
    raise lost(**value.transform_keys(&:to_sym)) if status == LOST
    return answer(status, value[RAW]) if value.is_a?(Hash) && value.key?(RAW)

    answer(status, JSON.generate(body(value, path, lines)))
  end

  # The requests since the last call.
  def taken
    @asked.slice!(0..)
  end

  # The lines of a request as a case shows them.
  def self.noted(lines)
    return [*noted(lines[0, 2]), { "lines" => lines.size }, *noted(lines[-2..])] if lines.size > MOST_LINES

    lines.map { |line| line.size <= LONGEST_LINE ? read(line) : digest(line) }
  end

  # What stands for a long line.
  def self.digest(line)
    { "characters" => line.size, "sha256" => Digest::SHA256.hexdigest(line) }
  end

  # The value of a line; JSON within it is read too, as languages write some floats in other ways.
  def self.read(line)
    value = JSON.parse(line)
    return value unless value.is_a?(Hash)

    value["body"] = JSON.parse(value["body"]) if value["body"].is_a?(String)
    value["ranked"] = ranked(value["ranked"]) if value["ranked"].is_a?(String)
    value
  end

  def self.ranked(text)
    told, vectors = text.unpack1("m0").split("\n", 2)
    [JSON.parse(told.force_encoding(Encoding::UTF_8)), vectors.unpack1("H*")]
  end
  private_class_method :read, :ranked

  private

  # By itself, a node does not state its version.
  def note(method, path, lines, timeout)
    return if path == "/" && !@replies.key?(path)

    @asked << [method, path, *(@takes && [timeout]), *self.class.noted(lines)]
    @clock += @takes || 0.0
  end

  def answer(status, text)
    HybridSearch::Stores::OpenSearch::OpenSearchTransport.const_get(:Answer).new(status, text)
  end

  def lost(problem:, sent:, lasting:)
    HybridSearch::Stores::OpenSearch.const_get(:TransportError).new(problem, sent, lasting:)
  end

  def body(value, path, lines)
    return each(path, lines) if value == EACH

    value.is_a?(Hash) && value.keys == [FOUND] ? page(*value[FOUND]) : value
  end

  # A complete page of hits with descending scores and ascending ids, with the documents if it is whole.
  def page(start, end_of, whole = false) # rubocop:disable Style/OptionalBooleanParameter -- a reply of a case
    hits = (start...end_of).map do |place|
      one = format("d%05d", place)
      body = { "id" => one, "body" => JSON.generate({ "fields" => { "id" => one }, "vectors" => {} }) } if whole
      { "_id" => one, "sort" => [(100_000 - place).to_f, one], "_source" => body }.compact
    end
    shards = { "total" => 1, "successful" => 1, "skipped" => 0, "failed" => 0 }
    { "timed_out" => false, "_shards" => shards, "hits" => { "hits" => hits } }
  end

  # What a server answers that has none of the documents, and takes all of them.
  def each(path, lines)
    if path.end_with?("/_mget")
      return { "docs" => JSON.parse(lines[0])["docs"].map { |one| { "_id" => one["_id"], "found" => false } } }
    end

    actions = lines.map { |line| JSON.parse(line).keys.first }.select { |one| ACTIONS.include?(one) }
    { "items" => actions.map { |one| { one => { "status" => 200 } } } }
  end
end
