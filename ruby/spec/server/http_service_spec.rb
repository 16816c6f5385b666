# frozen_string_literal: true

require "json"
require "socket"
require "stringio"
require "tempfile"

RSpec.describe HybridSearch::HttpService do
  let(:index) { HybridSearch::Index.new }
  let(:log) { StringIO.new }
  let(:service) { described_class.new(index, access_log: log) }

  before { index.add([{ id: "1", content: "red wine" }, { id: "2", content: "red car" }]) }

  def ask(path, value = nil, **more)
    env = { "REQUEST_METHOD" => value ? "POST" : "GET", "PATH_INFO" => path, "SCRIPT_NAME" => "",
            "rack.input" => StringIO.new, **more.transform_keys(&:to_s) }
    if value
      body = JSON.generate(value)
      env.update("CONTENT_TYPE" => "application/json", "CONTENT_LENGTH" => body.bytesize.to_s,
                 "rack.input" => StringIO.new(body))
    end
    status, headers, parts = service.call(env)
    [status, headers, parts.join]
  end

  it "returns a Rack response with lower-case headers" do
    status, headers, body = ask("/v1/search", { question: "wine" })
    expect(status).to eq(200)
    expect(JSON.parse(body)["hits"].map { |hit| hit["id"] }).to eq(%w[1])
    expect(headers.keys).to all(match(/\A[a-z-]+\z/))
    expect(headers).not_to be_frozen
  end

  it "counts returned hits" do
    given = JSON.parse(ask("/v1/search", { question: "wine" })[2])["hits"].size
    expect(given).to be_positive
    expect(ask("/metrics")[2]).to include("hybrid_search_hits_returned_total #{given}\n")
  end

  it "reads the query string as the server passes it" do
    found = ["q=red+wine&limit=1", "q=红酒 wine".b, "match_all=true&filter.id.not=1"].map do |query|
      JSON.parse(ask("/v1/search", QUERY_STRING: query)[2])["hits"].map { |hit| hit["id"] }
    end
    expect(found).to eq([%w[1], %w[1], %w[2]])
    expect(ask("/v1/search", QUERY_STRING: "q=\xff".b).first).to eq(400)
  end

  it "makes a page by one search, which reads its own documents" do
    index.add((10...60).map { |one| { id: one, content: "red wine #{one}" } })
    read = []
    allow(index).to receive(:search).and_call_original
    allow(index.store).to receive(:get_many).and_wrap_original do |original, ids, *rest|
      read.concat(ids)
      original.call(ids, *rest)
    end
    hits = JSON.parse(ask("/v1/search", QUERY_STRING: "q=red+wine&limit=5&page=2")[2])["hits"]
    ask("/v1/search", { question: "red wine", limit: 5, page: 2 })
    expect(index).to have_received(:search).twice
    expect(hits.size).to eq(5)
    expect(read).to be_empty
  end

  it "reports the ranking cache of the index in its metrics" do
    cached = HybridSearch::Index.new(ranking_cache: HybridSearch::RankingCache.new)
    cached.add([{ id: "1", content: "red wine" }])
    service = described_class.new(cached)
    env = { "REQUEST_METHOD" => "GET", "PATH_INFO" => "/v1/search", "QUERY_STRING" => "q=wine" }
    3.times { service.call(env) }
    told = service.call({ **env, "PATH_INFO" => "/metrics" })[2].join
    expect(told).to include("hybrid_search_ranking_cache_hits_total 2\n", "hybrid_search_hits_returned_total 3\n")
  end

  it "knows the path where it is mounted" do
    _, headers, body = ask("", SCRIPT_NAME: '/a"b')
    expect(body).to include('data-root="/a&quot;b"')
    expect(headers["content-type"]).to eq("text/html; charset=utf-8")
  end

  it "responds to a body that cannot be read" do
    broken = StringIO.new.tap(&:close_read)
    status, = ask("/v1/search", CONTENT_TYPE: "application/json", CONTENT_LENGTH: "9", REQUEST_METHOD: "POST",
                                "rack.input": broken)
    expect(status).to eq(408)
  end

  it "reports internal failures only in the log" do
    allow(index).to receive(:count).and_raise(SystemStackError, "at secret.rb:3")
    lines = []
    HybridSearch.logger = Class.new { define_method(:warn) { |_name, &line| lines << line.call } }.new
    status, _, body = ask("/v1/health", HTTP_X_REQUEST_ID: "id-1")
    expect(status).to eq(500)
    expect(body).to eq('{"error":{"code":"internal","message":"the service failed; its log has the reason"}}')
    expect(lines).to eq(["request id-1 failed: SystemStackError: at secret.rb:3"])
  ensure
    HybridSearch.logger = nil
  end

  it "reports failures of an upstream service" do
    allow(index).to receive(:search).and_raise(HybridSearch::EmbeddingError, "the embedding was late")
    expect(ask("/v1/search", { question: "x" }).values_at(0, 2))
      .to eq([502, '{"error":{"code":"embedding_failed","message":"the embedding was late"}}'])
  end

  it "responds with 503 when puma ends a request, even if the error is wrapped" do
    stub_const("Puma::ThreadPool::ForceShutdown", Class.new(RuntimeError))
    allow(index).to receive(:search) do
      raise Puma::ThreadPool::ForceShutdown, "Force"
    rescue StandardError
      raise HybridSearch::EmbeddingError, "wrapped"
    end
    status, _, body = ask("/v1/search", { question: "x" })
    expect([status, JSON.parse(body)["error"]["code"]]).to eq([503, "shutting_down"])
  end

  it "continues if its log cannot be written" do
    allow(log).to receive(:write).and_raise(Errno::ENOSPC)
    expect(2.times.map { ask("/v1/health").first }).to eq([200, 200])
  end

  it "shows no token, and no header of a request" do
    guarded = described_class.new(index, token: "secret")
    expect(guarded.inspect).to eq("#<HybridSearch::HttpService>")
    head = HybridSearch::Server::HttpHead.new("GET", "/", { "authorization" => "Bearer secret" })
    expect(head.inspect).to eq("#<HybridSearch::Server::HttpHead>")
  end

  it "refuses invalid settings" do
    refused = [{ token: "" }, { token: [] }, { token: "a b" }, { token: 3 }, { access_log: 3 }, { read_only: 1 },
               { allow_anonymous_writes: 1 }, { allowed_hosts: "example.com" }, { allowed_hosts: ["example.com:80"] },
               { allowed_hosts: ["*.example.com"] }, { allowed_hosts: [""] },
               { max_body_bytes: 0 }, { tokens: "x" }]
    refused.each do |settings|
      expect { described_class.new(index, **settings) }
        .to raise_error(HybridSearch::InvalidInputError, /#{settings.keys.first}/)
    end
    expect { described_class.new(nil) }
      .to raise_error(HybridSearch::InvalidInputError, "index must be an Index, not null")
  end
end

RSpec.describe HybridSearch::Server::Serving do
  it "reads tokens, one per line" do
    Tempfile.create("tokens") do |file|
      file.write("one\r\n\n  two \n")
      file.flush
      expect(described_class.tokens(file.path)).to eq(%w[one two])
    end
  end

  it "refuses a file without tokens" do
    expect { described_class.tokens("/nowhere") }
      .to raise_error(HybridSearch::ConfigurationError,
                      'the token file "/nowhere" cannot be read: No such file or directory')
    expect { described_class.tokens(File::NULL) }
      .to raise_error(HybridSearch::ConfigurationError, 'the token file "/dev/null" holds no token')
  end

  it "reports an address that it cannot listen on" do
    require "puma"
    index = HybridSearch::Index.new
    taken = TCPServer.new("127.0.0.1", 0)
    port = taken.addr[1]
    expect { described_class.server(index, { "port" => port, "no-access-log" => true }).run { |_| nil } }
      .to raise_error(HybridSearch::ConfigurationError, "cannot listen at 127.0.0.1:#{port}: Address already in use")
  rescue LoadError
    skip "puma is not installed: bin/setup installs it on Debian"
  ensure
    taken&.close
  end
end
