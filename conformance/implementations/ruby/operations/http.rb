# frozen_string_literal: true

require "json"
require_relative "../log_lines"

# Operations of the HTTP service without a server (CUR-6): requests in, answers out; see the Python twin for their form.
module HttpOperations
  SERVICE = { "token" => nil, "read_only" => false, "access_log" => nil, "log_queries" => false,
              **HybridSearch::Server::HttpSettings::LIMITS, "allowed_hosts" => nil,
              "allow_anonymous_writes" => false }.freeze
  UNTOLD = %w[content-length x-request-id].freeze
  # In the lines of metrics whose numbers a clock decides, but for those of all requests.
  TIMED = "_duration_seconds"
  OF_ALL = ["_count{", 'le="+Inf"', "#"].freeze

  # A log that has what was flushed, and no room for the first lines where it is full.
  class FlushedLog
    def initialize(full)
      @full = full
      @waiting = +""
      @shown = +""
    end

    # What was flushed since the last call.
    def taken
      @shown.slice!(0..)
    end

    def write(line)
      if @full.positive?
        @full -= 1
        raise HybridSearch::DocStoreError, "no room"
      end
      @waiting << line
    end

    def flush
      @shown << @waiting
      @waiting.clear
    end
  end

  # An index of which every call fails.
  class FailingIndex
    def initialize(error)
      @error = error
    end

    %i[search get add upsert delete count].each do |name|
      define_method(name) { |*, **| raise @error, "not today" }
    end
  end

  module_function

  def api(params)
    dimension = params["dimension"]
    embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
    index = HybridSearch::Index.new(embedding:, ranking_cache: HybridSearch::RankingCache.new,
                                    **Conformance::Stores.of_index, **(params["index"] || {}).transform_keys(&:to_sym))
    index.add(params["documents"] || [])
    settings = { **SERVICE, **(params["service"] || {}) }
    asked = params["broken"] ? broken(params["broken"]) : index
    HybridSearch::Server::HttpApi.new(asked, HybridSearch::Server::HttpSettings.new(*settings.values_at(*SERVICE.keys)))
  end

  # An index of which every call fails with an error of a class; none where it is not said with which.
  def broken(name)
    FailingIndex.new(HybridSearch.const_get(name)) if name.is_a?(String)
  end

  def message(request, told)
    body = body(request, told)
    headers = body ? { "content-type" => "application/json", "content-length" => body.bytesize.to_s } : {}
    headers = headers.merge(request["headers"] || {}).compact
    path = request["path"]
    path += "&cursor=#{cursor(request, told)}" if body.nil? && request.key?("next_of")
    [request["method"] || (body ? "POST" : "GET"), path, headers, body || ""]
  end

  def cursor(request, told)
    JSON.parse(told[request["next_of"]]["body"])["next_cursor"]
  end

  def body(request, told)
    if request["json"]
      value = request["json"]
      value = { **value, "cursor" => cursor(request, told) } if request.key?("next_of")
      JSON.generate(value).b
    elsif request["filled"]
      first, repeated, count, last = request["filled"]
      (first + (repeated * count) + last).b
    elsif request["hex"]
      [request["hex"]].pack("H*")
    else
      request["text"]&.b
    end
  end

  # The head of a request for a path, which may have a query string.
  def head(method, target, headers, root = "", remote = "")
    path, _, query = target.partition("?")
    HybridSearch::Server::HttpHead.new(method, path, headers, root, remote, query.b)
  end

  def answer(api, method, path, headers, body)
    exchange = api.exchange(head(method, path, headers))
    shown(exchange.answer(exchange.body_limit ? body : ""), path, headers)
  end

  def shown(answer, path, headers)
    shown = answer.headers.except(*UNTOLD)
    if headers["x-request-id"]
      kept = answer.headers["x-request-id"] == headers["x-request-id"]
      shown["kept_id"] = kept ? "True" : "False"
    end
    lines = answer.body.dup.force_encoding("UTF-8").lines
    lines = lines.map { |line| without_time(line) } if path == "/metrics"
    { "status" => answer.status, "headers" => shown, "body" => lines.join }
  end

  def without_time(line)
    timed = line.include?(TIMED) && OF_ALL.none? { |one| line.include?(one) }
    timed ? "#{line.rpartition(" ").first}\n" : line
  end

  def served(api, request, method, path, headers, body)
    places = request.values_at("root", "remote").map(&:to_s)
    exchange = api.exchange(head(method, path, headers, *places))
    if request["left"]
      exchange.abandon
      return { "left" => true }
    end
    return shown(exchange.refuse(request["refused"]), path, headers) if request.key?("refused")

    answer = exchange.answer(exchange.body_limit ? body : "")
    length = answer.headers["content-length"]
    told = shown(answer, path, headers)
    return { "limit" => exchange.body_limit, "length" => length, **told } unless path == "/metrics"

    { "length" => length == answer.body.bytesize.to_s, **told }
  end

  def logged(line, given)
    entry = JSON.parse(line)
    kept = given["requests"].map { |request| (request["headers"] || {})["x-request-id"] }
    entry["request_id"] = entry["request_id"].length unless kept.include?(entry["request_id"])
    entry["time"] = entry["time"].length
    entry["milliseconds"] = entry["milliseconds"].is_a?(Float)
    entry.delete("bytes") if entry["path"] == "/metrics"
    entry
  end
end

Conformance.operation("http.answers") do |params, given, _trace|
  api = HttpOperations.api(params)
  told = []
  given["requests"].each { |request| told << HttpOperations.answer(api, *HttpOperations.message(request, told)) }
  told
end

Conformance.operation("http.service") do |params, given, _trace|
  log = HttpOperations::FlushedLog.new(params["full"] || 0)
  api = HttpOperations.api({ **params, "service" => { "access_log" => log, **(params["service"] || {}) } })
  told = []
  given["requests"].map do |request|
    warnings = Conformance::LogLines.kept do
      told << HttpOperations.served(api, request, *HttpOperations.message(request, told))
    end
    line = log.taken
    shown = { **told.last, "logged" => line.empty? ? nil : HttpOperations.logged(line, given) }
    (params["full"] || 0).positive? ? { **shown, "log_warnings" => warnings } : shown
  end
end
