# frozen_string_literal: true

require "digest"
require "json"
require_relative "../meanwhile"
require_relative "../scripted_model"
require_relative "../scripted_rewrite"
require_relative "../stores"

# Operations of an index's searches (CUR-1 … CUR-4, CUR-7): scripts of calls, whole walks, damaged cursors.
module SearchOperations
  ALPHABET = [*"A".."Z", *"a".."z", *"0".."9", "-", "_"].freeze
  # A flipped character becomes those so many places on in the alphabet.
  REPLACED_BY = [1, 17, 32].freeze

  # A clock that goes on when it is told to.
  class Now
    attr_accessor :seconds

    def initialize
      @seconds = 0.0
    end

    def call
      @seconds
    end

    # A cache that asks this clock, if there is one.
    def cache(options)
      options && HybridSearch::RankingCache.new(clock: self, **options.transform_keys(&:to_sym))
    end
  end

  # One walk; each of its steps is an object and asks for the page after the last one, from the first page on. A page
  # that is refused moves nothing: the next step asks for it again. After the last page comes the first.
  class Walk
    def initialize(index, question, now)
      @index = index
      @question = question
      @now = now
      @cursor = nil
    end

    def answer(step)
      change(step)
      cursor = @cursor && SearchOperations.spoilt(@cursor, step)
      found = @index.search(@question, cursor:, **(step["options"] || {}).transform_keys(&:to_sym))
      @cursor = found.next_cursor
      SearchOperations.told(found)
    rescue HybridSearch::Error => e
      { "error" => e.class.name.split("::").last, "message" => e.message }
    end

    private

    def change(step)
      @now.seconds += step.fetch("wait", 0.0)
      @index.delete(step["delete"]) if step.key?("delete")
      @index.add(step["add"]) if step.key?("add")
    end
  end

  # A step asks for what the script does not have.
  class MistakeError < StandardError
  end

  # Calls on one index.
  class Script
    def initialize(params, given)
      @now = Now.new
      @cache = @now.cache(params["cache"])
      @options = (params["options"] || {}).merge("ranking_cache" => @cache)
      @index = @first = SearchOperations.index(params["dimension"], @options)
      @changing = nil
      @models = (given["models"] || {}).transform_values { |described| Conformance::ScriptedModel.new(described) }
      @rewrites = (given["rewrites"] || {}).transform_values { |answers| Conformance::ScriptedRewrite.new(answers) }
      @steps = given["steps"]
      @cursors = []
    end

    # The answers.
    def run
      @steps.map do |step|
        @cursors << nil
        answer(*step)
      end
    ensure
      @first.close
    end

    private

    def answer(method, argument = nil, options = nil)
      send(:"step_#{method}", argument, read(options || {}))
    rescue HybridSearch::Error, MistakeError => e
      { "error" => e.class.name.split("::").last, "message" => e.message }
    end

    def step_add(records, options)
      @index.add(records, **options)
    end

    def step_fill(which, options)
      first, count, *last = which
      @index.add(SearchOperations.made(first, count) + last, **options)
    end

    def step_update(records, options)
      @index.update(records, **options)
    end

    def step_upsert(records, options)
      @index.upsert(records, **options)
    end

    def step_delete(ids, options)
      @index.delete(ids, **options)
    end

    def step_count(_argument, options)
      @index.count(**options)
    end

    def step_reopen(dimension, _options)
      raise MistakeError, "the store is another one since meanwhile" if @changing

      embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
      @index = HybridSearch::Index.new(embedding:, store: @index.store, **@options.transform_keys(&:to_sym))
      nil
    end

    def step_beneath(call, _options)
      method, argument = call
      @index.store.public_send(method, argument)
    end

    def step_meanwhile(changes, _options)
      @changing ||= Conformance::Meanwhile.new(@index.store)
      @changing.arm(changes.to_h.transform_values { |step| -> { answer(*step) } })
      nil
    end

    def step_wait(seconds, _options)
      @now.seconds += seconds
      nil
    end

    def step_clear(_argument, _options)
      raise MistakeError, "there is no cache" if @cache.nil?

      @cache.clear
      nil
    end

    def step_kept(_argument, _options)
      raise MistakeError, "there is no cache" if @cache.nil?

      SearchOperations.kept(@cache)
    end

    def step_asked(name, _options)
      model(name).asked.map { |_, texts| texts.size }
    end

    def step_rewritten(name, _options)
      rewrite(name).asked.dup
    end

    def step_similar(identifier, options)
      SearchOperations.told(@index.similar(identifier, **options))
    end

    def step_each(question, options)
      @index.each(question, **options).map(&:id)
    end

    def step_search(question, options)
      found = @index.search(question, **options)
      @cursors[-1] = found.next_cursor
      SearchOperations.told(found)
    end

    def step_whole(question, options)
      found = @index.search(question, **options)
      @cursors[-1] = found.next_cursor
      found.to_h
    end

    # The one line of each hit, as Python writes it.
    def step_printed(question, options)
      @index.search(question, **options).map { |hit| hit.inspect.sub("#<HybridSearch::", "<").tr("\"", "'") }
    end

    def read(options)
      cursor = options["cursor"]
      read = options.transform_keys(&:to_sym)
      edited = cursor.is_a?(::Hash) && cursor.key?("of")
      read[:cursor] = SearchOperations.edited(cursor_of(cursor["of"]), cursor) if edited
      read[:rerank_model] = model(options["rerank_model"]) if options["rerank_model"].is_a?(::String)
      read[:rewrite] = rewrite(options["rewrite"]) if options["rewrite"].is_a?(::String)
      read
    end

    def rewrite(name)
      @rewrites[name] || raise(MistakeError, "there is no rewrite #{name}")
    end

    def model(name)
      model, method = name.split(".", 2)
      found = @models[model] || raise(MistakeError, "there is no model #{model}")
      method ? found.method(method) : found
    end

    # The next cursor of a step.
    def cursor_of(step)
      cursor = step.is_a?(::Integer) && !step.negative? ? @cursors[step] : nil
      cursor || raise(MistakeError, "step #{step} has no next cursor")
    end
  end

  module_function

  def index(dimension, options)
    embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
    HybridSearch::Index.new(embedding:, **Conformance::Stores.of_index, **options.transform_keys(&:to_sym))
  end

  # An index that is closed after the block.
  def on_index(dimension, options)
    index = index(dimension, options)
    yield index
  ensure
    index&.close
  end

  # Records of their numbers alone: one keyword is of all, and the lower the number, the shorter the content.
  def made(first, count)
    (first...(first + count)).map do |number|
      {
        "id" => format("d%04d", number), "keywords" => ["cellar", "k#{number % 3}"], "metadata" => { "n" => number },
        "content" => "red wine u#{number} v#{number} w#{number}#{" x" * (number % 11)}"
      }
    end
  end

  def kept(cache)
    { "size" => cache.size, "bytes" => cache.bytes, "hits" => cache.hits, "misses" => cache.misses }
  end

  # A page without the texts of its hits.
  def told(found)
    found.to_h.merge("hits" => found.map { |hit| [hit.id, hit.score, *hit.scores.to_h.values] })
  end

  # A cursor with parts `set` or `without`, one of them made as long as `fill` says, `sign`ed as without a secret where
  # asked for; then `append`ed to.
  def edited(cursor, edits)
    if edits.key?("set") || edits.key?("without")
      parts = JSON.parse(cursor.tr("-_", "+/").unpack1("m"))
      parts = parts.merge(edits.fetch("set", {})).except(edits["without"])
      parts = filled(parts, *edits["fill"]) if edits.key?("fill")
      parts["c"] = Digest::SHA256.hexdigest(canonical(parts.except("c")))[0, 16] if edits["sign"]
      cursor = [canonical(parts)].pack("m0").tr("+/", "-_").delete("=")
    end
    cursor + edits.fetch("append", "")
  end

  # A part that is a text is made so long that all parts are so many bytes.
  def filled(parts, name, size)
    parts.merge(name => parts[name] + ("x" * (size - canonical(parts).bytesize)))
  end

  def canonical(value)
    HybridSearch::Base::CanonicalJson.write(value)
  end

  # A cursor with one character flipped or the end cut off, wherever numbers that are too large lead.
  def spoilt(cursor, step)
    place, by = step.fetch("flip", [0, 0])
    cut = step.fetch("cut", 0) % cursor.length
    flipped(cursor, place % cursor.length, by)[0, cursor.length - cut]
  end

  def flipped(cursor, place, by)
    other = ALPHABET[(ALPHABET.index(cursor[place]) + by) % ALPHABET.size]
    cursor[0, place] + other + cursor[(place + 1)..]
  end

  def damages(cursor)
    flipped = (0...cursor.length).flat_map { |place| REPLACED_BY.map { |by| flipped(cursor, place, by) } }
    cut = (0...cursor.length).map { |length| cursor[0, length] } + (1...cursor.length).map { |from| cursor[from..] }
    added = ["=", "A", "AA", " ", "\n", "é"].map { |more| cursor + more } + [" #{cursor}", cursor + cursor]
    flipped + cut + added
  end

  def message
    yield
    "accepted"
  rescue HybridSearch::Error => e
    "#{e.class.name.split("::").last}: #{e.message}"
  end

  def walk_table(index, question, options, limits)
    everything = index.each(question, **options).map(&:id)
    tables = limits.map do |limit|
      pages = walked(index, question, options.merge(limit:))
      shown = pages.map { |page| page.map(&:id) }
      numbered = pages.map { |page| index.search(question, **options, limit:, page: page.page).hits }
      cursors = pages.map { |page| page.next_cursor || "None" }.join("\n")
      {
        "limit" => limit,
        "pages" => pages.size,
        "same" => shown.flatten == everything,
        "full" => shown[0...-1].all? { |page| page.size == limit },
        "cursors" => Digest::SHA256.hexdigest(cursors),
        "numbers" => pages.map(&:page).last(3),
        "numbered" => numbered == pages.map(&:hits)
      }
    end
    { "candidates" => options[:candidates], "ids" => everything, "once" => everything.uniq == everything,
      "walks" => tables }
  end

  def walked(index, question, options)
    pages = [index.search(question, **options)]
    pages << index.search(question, **options, cursor: pages.last.next_cursor) while pages.last.next_cursor
    pages
  end
end

Conformance.operation("search.canonical") do |params, given, _trace|
  digits = params["digits"]
  SearchOperations.canonical(digits.nil? ? given : given * ((10**digits) - 1))
rescue ArgumentError
  { "refused" => true }
end

Conformance.operation("search.script") do |params, given, _trace|
  SearchOperations::Script.new(params, given).run
end

Conformance.operation("search.page") do |params, given, _trace|
  options = (params["options"] || {}).transform_keys(&:to_sym)
  SearchOperations.on_index(params["dimension"], {}) do |index|
    index.add(given["records"])
    SearchOperations.told(index.search(given["question"], cursor: params["cursor"], **options))
  end
end

Conformance.operation("search.walk") do |params, given, _trace|
  now = SearchOperations::Now.new
  options = (params["options"] || {}).merge("ranking_cache" => now.cache(params["cache"]))
  SearchOperations.on_index(params["dimension"], options) do |index|
    index.add(given["records"])
    walk = SearchOperations::Walk.new(index, given["question"], now)
    given["steps"].map { |step| walk.answer(step) }
  end
end

Conformance.operation("search.walks") do |params, given, _trace|
  corpus = Conformance::Corpora.load(given["corpus"])
  index = HybridSearch::Index.new(store: corpus.store, embedding: corpus.embedding)
  options = (params["options"] || {}).transform_keys(&:to_sym)
  params["candidates"].map do |candidates|
    SearchOperations.walk_table(index, given["question"], options.merge(candidates:), params["limits"])
  end
end

Conformance.operation("search.shared_cache") do |params, given, _trace|
  cache = HybridSearch::RankingCache.new
  options = (params["options"] || {}).merge("ranking_cache" => cache)
  indexes = given["indexes"].map { |records| SearchOperations.index(nil, options).tap { |index| index.add(records) } }
  pages = Array.new(2) { indexes.map { |index| SearchOperations.told(index.search(given["question"])) } }
  { "pages" => pages, "kept" => SearchOperations.kept(cache) }
ensure
  indexes&.each(&:close)
end

Conformance.operation("search.damaged") do |params, given, _trace|
  SearchOperations.on_index(params["dimension"], params["options"] || {}) do |index|
    index.add(given["records"])
    cursor = index.search(given["question"], limit: 1).next_cursor
    counts = SearchOperations.damages(cursor).map do |text|
      SearchOperations.message { index.search(given["question"], limit: 1, cursor: text) }
    end
    { "length" => cursor.length, "messages" => counts.tally }
  end
end
