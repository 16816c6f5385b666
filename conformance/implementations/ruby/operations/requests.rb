# frozen_string_literal: true

require "tmpdir"
require_relative "../log_lines"
require_relative "../own_types"
require_relative "../scripted_cluster"
require_relative "../scripted_drivers"
require_relative "doc_store"

# What stores that need a server send for each step of a script, without a server (OS-1 … OS-5, PG-1 … PG-6, OB-1 …
# OB-4); the form of a case is told in the reference's `operations/requests.py`.
module Requests
  # What Ruby writes in `1.0e+200`, where Python writes `1e+200`.
  WHOLE_FLOAT = /(?<=[0-9])\.0e/
  FILES = %i[ca_file client_certificate client_key].freeze
  MOST_MEMBERS = 200

  # Notes statements, and answers them from the case.
  class Recorder < HybridSearch::Stores::Postgres::PostgresConnection
    def initialize(statements, replies) # rubocop:disable Lint/MissingSuper -- there is no connection
      @statements = statements
      @later = []
      @replies = replies
      @asked = []
    end

    def rows_of(text, values)
      @asked << [text, *values.map { |value| Requests.shown(value) }]
      begun = @replies.keys.select { |begin_of| text.start_with?(begin_of) }.max_by(&:size)
      begun ? @replies[begun].map { |row| row.map { |value| Requests.value(value) } } : []
    end

    def together(*questions)
      questions.map { |question| rows(*question) }
    end

    def run_text(text, values = [])
      rows_of(text, values)
    end

    def copy(name, types, rows)
      settle
      @asked << [@statements.text(name), types, *rows.map { |row| row.map { |value| Requests.shown(value) } }]
    end

    # The statements since the last call.
    def taken
      @asked.slice!(0..)
    end
  end

  # A store whose transactions are those of a recorder.
  class Collection < HybridSearch::PostgresDocStore
    def initialize(params, connection) # rubocop:disable Lint/MissingSuper -- there is no database
      documents = HybridSearch::Base::Kernels.kernel("postgres_documents", params["kernels"])
      options = [params["dense"] == "hnsw", 1 << 20]
      @documents = documents.new(HybridSearch::Stores::Snapshot::Bm25.of(params["bm25"]), options)
      @row = params["meta"]
      @connection = connection
    end

    private

    def reading
      yield HybridSearch::Stores::Postgres::PostgresTables.new(@connection, @row)
    end

    def writing
      outcome = yield HybridSearch::Stores::Postgres::PostgresTables.new(@connection, @row)
      @connection.settle
      outcome
    end
  end

  # Notes statements to OceanBase, and answers them from the case.
  class Notes < HybridSearch::Stores::OceanBase::OceanBaseConnection
    def initialize(statements, replies) # rubocop:disable Lint/MissingSuper -- there is no connection
      @statements = statements
      @replies = replies
      @asked = []
    end

    def run_text(text)
      @asked << text
      begun = @replies.keys.select { |begin_of| text.start_with?(begin_of) }.max_by(&:size)
      found = begun ? @replies[begun] : []
      return alike(**found.transform_keys(&:to_sym)) if found.is_a?(Hash)

      found.map { |row| row.map { |value| Requests.value(value) } }
    end

    # The statements since the last call.
    def taken
      @asked.slice!(0..)
    end

    private

    def alike(candidates:, lengths:, words:)
      Array.new(candidates) { |number| [number, "d#{number}", lengths, words] }
    end
  end

  # A store whose transactions are those of a recorder, and which has all tables of vectors.
  class OceanBaseCollection < HybridSearch::OceanBaseDocStore
    def initialize(params, connection) # rubocop:disable Lint/MissingSuper -- there is no database
      @approximate = params["dense"] == "hnsw"
      @documents = HybridSearch::Stores::OceanBase::OceanBaseDocuments.new(@approximate)
      @row = params["meta"]
      @connection = connection
    end

    private

    def prepare(_accepted); end

    def reading
      yield HybridSearch::Stores::OceanBase::OceanBaseTables.new(@connection, @row)
    end

    alias writing reading
  end

  module_function

  def oceanbase(params, given)
    connection = Notes.new(HybridSearch::Stores::OceanBase::OceanBaseStatements.new("c"), given.fetch("rows", {}))
    store = OceanBaseCollection.new(params, connection)
    index = HybridSearch::Index.new(store:, **given.fetch("index", {}).transform_keys(&:to_sym))
    connection.taken
    stepped(index, store, given["steps"], connection)
  end

  def opensearch(params, given)
    transport = ScriptedCluster.new(given)
    store = store(params, transport)
    transport.taken
    given["steps"].map do |step|
      gives = nil
      lines = Conformance::LogLines.kept { gives = step(store, step) }
      { "gives" => gives, "asked" => transport.taken, "lines" => lines.to_a }
    end
  end

  def pages(params, given)
    transport = ScriptedCluster.new(given)
    store = store(params.slice("options", "ragflow"), transport)
    index = HybridSearch::Index.new(store:, **params["index"].transform_keys(&:to_sym))
    transport.taken
    stepped(index, store, given["steps"], transport)
  end

  # What each step of a store, or page of its index, gives, and what was sent for it.
  def stepped(index, store, steps, sent)
    cursor = nil
    steps.map do |step|
      gives, cursor = step.key?("page") ? page(index, step["page"], cursor) : [step(store, step), cursor]
      { "gives" => gives, "asked" => sent.taken }
    end
  end

  # What a page shows, or its error, and the cursor of the next one.
  def page(index, asked, cursor)
    options = Conformance::OwnTypes.read(asked.except("question", "follows")).transform_keys(&:to_sym)
    options[:cursor] = cursor if asked["follows"]
    page = index.search(asked["question"], **options)
    gives = { "ids" => page.map(&:id), "total" => page.total, "warnings" => page.warnings,
              "index_changed" => page.index_changed, "follows" => !page.next_cursor.nil? }
    [gives, page.next_cursor]
  rescue HybridSearch::Error => e
    [{ "error" => error(e) }, cursor]
  end

  def opening(params, given)
    transport = ScriptedCluster.new(given)
    problem = nil
    lines = Conformance::LogLines.kept do
      store(params, transport)
    rescue HybridSearch::Error => e
      problem = error(e)
    end
    { "asked" => transport.taken, "error" => problem, **(given["logged"] ? { "lines" => lines.to_a } : {}) }
  end

  # The header that a user with a password, or an API key, sends; what is called returns the same. `called_key` is the
  # key that a callable returns. The `files` are in the folder that options name `/folder`.
  def access(given)
    Dir.mktmpdir do |folder|
      given.fetch("files", {}).each { |name, text| File.write(File.join(folder, name), text) }
      found = HybridSearch::Stores::OpenSearch::OpenSearchAccess.new(**access_options(given, folder))
      found.named? ? [true, found.header] : [false]
    rescue HybridSearch::InvalidInputError => e
      raise HybridSearch::InvalidInputError, e.message.gsub(folder, "/folder")
    end
  end

  def access_options(given, folder)
    options = given.except("files", "called_key").transform_keys(&:to_sym)
    FILES.each { |name| options[name] = options[name].gsub("/folder", folder) if options[name].is_a?(String) }
    options[:password] = -> { given["password"] } if given.key?("password")
    options[:api_key] = -> { given["called_key"] } if given.key?("called_key")
    options
  end

  def store(params, transport)
    make = params["ragflow"] ? :ragflow_index : :new
    options = params["options"].transform_keys(&:to_sym)
    url = params.fetch("url", "http://127.0.0.1:9200")
    HybridSearch::OpenSearchDocStore.public_send(make, url, params.fetch("index", "i"),
                                                 transport:, timing: transport.timing, **options)
  end

  def connections(params, given)
    script = ScriptedDrivers::Script.new(given) { |told| value(told) }
    marked = ->(asked) { shown(asked).map { |one| ScriptedDrivers.mark(one) } }
    sent = given.key?("session") ? marked : method(:shown)
    ScriptedDrivers.placed(script, given.fetch("environment", {})) do
      store = opened(params, script)
      told = [{ "gives" => nil, "asked" => sent.call(script.taken) }]
      given.fetch("calls", []).each do |step|
        told << { "gives" => step(store, step), "asked" => sent.call(script.taken) }
      end
      told
    rescue HybridSearch::Error => e
      told = error(e).merge("message" => e.message.sub("of pg or", "of the driver or"))
      [{ "gives" => { "error" => told }, "asked" => sent.call(script.taken) }]
    end
  end

  def opened(params, script)
    options = params["options"].transform_keys(&:to_sym)
    return opened_in_oceanbase(params["connection"], **options) if params["store"] == "oceanbase"

    connection = { "pool" => -> { ScriptedDrivers::Pool.new(script) },
                   "connection" => -> { ScriptedDrivers::Postgres::Connection.new } }[params["given"]]
    connection = connection ? connection.call : params["connection"]
    HybridSearch::PostgresDocStore.new(connection, kernels: params["kernels"], **options)
  end

  def opened_in_oceanbase(url, password: nil, **options)
    given = password.is_a?(String) ? -> { password } : password
    HybridSearch::OceanBaseDocStore.new(url, password: given, **options)
  end

  def step(store, step)
    if step.key?("build_index")
      arguments = step["build_index"].transform_keys(&:to_sym)
      return store.build_index(arguments[:field], **arguments.except(:field)) && nil
    end
    return called(store, step["call"], step.fetch("options", {})) if step.key?("call")
    return store.public_send(step.keys.first) && nil if step.key?("drop") || step.key?("close")

    step = made(**step["many"].transform_keys(&:to_sym)) if step.key?("many")
    return Conformance::DocStoreData.step(store, step) unless step.key?("search")

    match_exprs = Conformance::DocStoreData.exprs(step["search"].fetch("match", []))
    arguments = step["search"].except("match").transform_keys(&:to_sym)
    found = store.search(match_exprs:, **arguments)
    { **Conformance::DocStoreData.result(found), **{ "generation" => found.generation }.compact }
  rescue HybridSearch::Error => e
    { "error" => error(e) }
  end

  def called(store, method, options)
    store.public_send(method, **options.transform_keys(&:to_sym))
  end

  def error(error)
    { "class" => error.class.name.delete_prefix("HybridSearch::"), "message" => error.message }
  end

  # A step with many documents or ids; a document's size is the bytes of its text of Chinese tokens, `text` that of
  # each one without a size, and `others` the number of numbers in a second list of the filters.
  def made(method:, count:, sizes: [], components: 0, others: 0, text: nil)
    ids = Array.new(count) { |place| "d#{place}" }
    return { method => ids } if method == "delete"

    second = others.zero? ? {} : { "n_int" => [*0...others] }
    return { method => { "limit" => 1, "filters" => { "id" => ids, **second } } } if method == "list"

    vector = components.zero? ? {} : { "q_#{components}_vec" => [1.0] * components }
    same = text ? { "content_ltks" => text } : {}
    texts = sizes.map { |size| { "content_ltks" => ("\u5b57 " * (size / 4)) + ("x" * (size % 4)) } }
    { method => ids.each_with_index.map { |one, place| { "id" => one, **(texts[place] || same), **vector } } }
  end

  # A value of a statement as plain data.
  def shown(value)
    return shown_members(value.map { |one| shown(one) }) if value.is_a?(Array)
    return value unless value.is_a?(String)
    return value.gsub(WHOLE_FLOAT, "e") unless value.encoding == Encoding::BINARY

    value.match?(/\A[ -~]*\z/n) ? { "bytes" => value.encode("UTF-8") } : { "hex" => value.unpack1("H*") }
  end

  # Of many members the first and last ones, and a digest in the form of Python's JSON.
  def shown_members(members)
    return members if members.size <= MOST_MEMBERS

    [*members[0, 2], ScriptedCluster.digest("[#{members.map { |one| python_json(one) }.join(", ")}]"), *members[-2..]]
  end

  def python_json(value)
    return JSON.generate(value) unless value.is_a?(Hash)

    "{#{value.map { |key, one| "#{JSON.generate(key)}: #{JSON.generate(one)}" }.join(", ")}}"
  end

  # A value of a row of the case.
  def value(told)
    return told unless told.is_a?(Hash)

    told.key?("hex") ? [told["hex"]].pack("H*") : told["bytes"].b
  end
end

Conformance.operation("requests.opensearch") { |params, given, _trace| Requests.opensearch(params, given) }

Conformance.operation("requests.index") { |params, given, _trace| Requests.pages(params, given) }

Conformance.operation("requests.opening") { |params, given, _trace| Requests.opening(params, given) }

Conformance.operation("requests.access") { |_params, given, _trace| Requests.access(given) }

Conformance.operation("requests.connections") { |params, given, _trace| Requests.connections(params, given) }

Conformance.operation("requests.oceanbase") { |params, given, _trace| Requests.oceanbase(params, given) }

Conformance.operation("requests.postgres") do |params, given, _trace|
  statements = HybridSearch::Stores::Postgres::PostgresStatements.new("c")
  connection = Requests::Recorder.new(statements, given["rows"] || {})
  store = Requests::Collection.new(params, connection)
  given["steps"].map { |step| { "gives" => Requests.step(store, step), "asked" => connection.taken } }
end
