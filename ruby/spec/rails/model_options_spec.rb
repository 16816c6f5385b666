# frozen_string_literal: true

require "support/rails_models"

RSpec.describe "The macro hybrid_search", skip: RailsModels.missing do
  include RailsModels

  def records_of(**attributes)
    Article.hybrid_index.records(Article.create!(**attributes))
  end

  it "refuses unknown options and invalid values" do
    {
      { contents: :body } => /unknown option of hybrid_search "contents"; did you mean "content"\?/,
      { against: %i[title] } => /unknown option of hybrid_search "against"; use content: and title:/,
      { word_start: %i[title] } => /use nothing: words are found whole/,
      { content: 5 } => "content must be the name of a method, a list of names or a lambda, not 5",
      { callbacks: :later } => 'callbacks must be one of :inline, :async, :queue, false, not "later"',
      { callbacks: true } => "callbacks must be one of :inline, :async, :queue, false, not true",
      { if: "live?" } => 'if must be the name of a method as a symbol, or a lambda, not "live?"',
      { scope: :live } => 'scope must be a lambda, as in -> { includes(:author) }, not "live"',
      { chunk: 256 } => "chunk must be a lambda, true, or options of a Chunker, not 256",
      { chunk: { sise: 3 } } => /unknown option of chunk "sise"; did you mean "size"\?/,
      { index: "Hello World" } => /\Aindex must be a name of a-z/,
      { metadata: { a: 1 } } => "metadata must be the name of a method, not an object of 1",
      { search: { limit: 3 } } => /unknown option of search "limit"/
    }.each do |options, message|
      expect { article_class { hybrid_search(**options) } }.to raise_error(HybridSearch::InvalidInputError, message)
    end
    article_class { hybrid_search content: :body }
    expect { Article.hybrid_search(content: :title) }
      .to raise_error(HybridSearch::InvalidInputError, "Article declares hybrid_search twice: Article has declared it")
  end

  it "defines a method search unless the model has one" do
    article_class do
      def self.search(*) = :own
      hybrid_search content: :body
    end
    expect(Article.search("x")).to eq(:own)
    article_class { hybrid_search content: :body }
    Article.create!(body: "a shed")
    expect([Article.search("shed").size, Article.live.search("shed").size]).to eq([1, 0])
  end

  it "makes records from attributes, lists of them, lambdas and search_data" do
    article_class do
      hybrid_search content: %i[title body], title: ->(article) { article.title.upcase }, keywords: -> { [lang] },
                    metadata: %i[year status words]
      def search_data = { title: "own", words: body.to_s.split, page_rank: 2 }
    end
    article = Article.create!(title: "a", body: "b c", lang: "en", year: 7)
    expect(Article.hybrid_index.records(article)).to eq(
      [{ "id" => article.id.to_s, "doc_id" => article.id.to_s, "content" => "a\n\nb c", "title" => "own",
         "keywords" => ["en"], "page_rank" => 2,
         "metadata" => { "year" => 7, "status" => "draft", "words" => %w[b c] } }]
    )
  end

  it "reports what is missing in search_data" do
    article_class { hybrid_search title: :title }
    expect { records_of(title: "x") }.to raise_error(HybridSearch::ConfigurationError, /\AArticle has no content: /)
    Article.define_method(:search_data) { { content: "x", langs: "en" } }
    HybridSearch::Rails.callbacks(false) do
      expect { records_of(title: "x") }.to raise_error(
        HybridSearch::ConfigurationError, 'search_data of Article has the key "langs", which metadata: does not declare'
      )
    end
  end

  it "finds passages of long texts, and shows their record once" do
    article_class do
      hybrid_search content: :body, title: :title, metadata: %i[lang], chunk: ->(article) { article.body.split("\n\n") }
    end
    articles = Array.new(12) do |number|
      Article.create!(title: "Text #{number}", body: ["shed #{number}", "barn of oak", "house"].join("\n\n"),
                      lang: "en")
    end
    pages = (1..4).map { |page| Article.hybrid("shed barn house", per: 5, page:) }
    expect(pages.map(&:total_count).uniq).to eq([12])
    expect(pages.map(&:size)).to eq([5, 5, 2, 0])
    expect(pages.flat_map(&:ids).sort).to eq(articles.map(&:id))
    expect(pages[0].hits.map(&:doc_id)).to eq(pages[0].ids.map(&:to_s))
    best = Article.hybrid("barn of oak", highlight: true)
    expect(best.highlight_for(best.first)).to eq("<em>barn</em> of <em>oak</em>")
    expect(best.total_pages).to eq(1)
    expect(Article.hybrid("shed", facets: %i[lang]).facets).to eq("lang" => [{ "value" => "en", "count" => 12 }])
    articles[0].update!(body: "a tent")
    held = Article.hybrid_index.collection.use { |index| index.each(match_all: true).map(&:id) }
    expect(held.grep(/\A#{articles[0].id}#/)).to eq(["#{articles[0].id}#1"])
    expect(articles[1].similar(per: 20).ids).not_to include(articles[1].id)
    expect(articles[1].similar(per: 20).size).to eq(11)
    articles[1].destroy!
    expect(Article.hybrid("barn", per: 20).total_count).to eq(11)
    stub_const("HybridSearch::Rails::Narrowing::MOST", 2)
    expect(Article.where("id > ?", articles[5].id).hybrid("shed barn", per: 4).total_count).to eq(6)
  end

  it "cuts texts with a Chunker" do
    article_class { hybrid_search content: :body, chunk: { size: 8, overlap: 0, format: :markdown } }
    article = Article.create!(body: "# Sheds\n\nA shed of oak.\n\n## Barns\n\nA barn of pine, large and red.")
    records = Article.hybrid_index.records(article)
    expect(records.map { |record| record["doc_id"] }.uniq).to eq([article.id.to_s])
    expect(Article.hybrid("barn", where: { headings: "Barns" }).first).to eq(article)
    Article.create!(body: "")
    expect(Article.hybrid_index.collection.ids.to_a.size).to eq(2)
  end

  it "requires every search to name the tenant" do
    article_class { hybrid_search content: :body, tenant: :account_id, metadata: %i[lang] }
    accounts = Array.new(2) { |number| Struct.new(:id, :to_key).new(number + 1, [number + 1]) }
    3.times { |number| Article.create!(body: "shed #{number}", account_id: (number % 2) + 1, lang: "en") }
    Article.create!(body: "shed without")
    expect { Article.hybrid("shed") }.to raise_error(
      HybridSearch::InvalidInputError,
      "tenant must be given: Article declares tenant: :account_id (tenant: :all searches all of them)"
    )
    [nil, "", []].each { |tenant| expect { Article.hybrid("shed", tenant:) }.to raise_error(/tenant must be given/) }
    [1, "1", accounts[0]].each { |tenant| expect(Article.hybrid("shed", tenant:).map(&:account_id)).to eq([1, 1]) }
    expect(Article.hybrid("shed", tenant: 2,
                                  where: { any: [{ lang: "en" }, { account_id: 1 }] }).map(&:account_id)).to eq([2])
    expect(Article.hybrid("shed", tenant: :all).size).to eq(4)
    expect(Article.where(account_id: 1).hybrid("shed").size).to eq(2)
    expect(Article.where(account_id: 1).hybrid("shed", tenant: 2).to_a).to eq([])
    expect(Article.where(account_id: [1, 2]).to_a.size).to eq(3)
    expect { Article.where(account_id: [1, 2]).hybrid("shed") }.to raise_error(/tenant must be given/)
    expect(Article.first.similar.map(&:account_id)).to eq([1])
    stub_const("Plain", Class.new(ActiveRecord::Base) { self.table_name = "articles" })
    Plain.hybrid_search(content: :body, index: "plain")
    expect { Plain.hybrid("x", tenant: 3) }
      .to raise_error(HybridSearch::InvalidInputError, "tenant is not an option of Plain: it declares no tenant")
  end

  it "has one index for a class and its subclasses" do
    article_class do
      self.inheritance_column = "lang"
      hybrid_search content: :body
    end
    stub_const("Guide", Class.new(Article))
    article = Article.create!(body: "a shed")
    guide = Guide.create!(body: "a shed of oak")
    expect(Article.hybrid("shed").to_a).to contain_exactly(article, guide)
    expect([Guide.hybrid("shed").to_a, Guide.hybrid("shed").total_count]).to eq([[guide], 1])
    guide.update!(body: "a barn")
    expect([Guide.hybrid("barn").first, guide.similar.to_a, Guide.where(id: guide.id).reindex]).to eq([guide, [], 1])
    expect { Guide.hybrid_search(content: :title) }.to raise_error(/Guide declares hybrid_search twice: Article has/)
  end

  it "needs a primary key of one column" do
    stub_const("Keyless", Class.new(ActiveRecord::Base) { self.table_name = "articles" })
    Keyless.primary_key = nil
    Keyless.hybrid_search(content: :body)
    expect { Keyless.hybrid("shed").to_a }
      .to raise_error(HybridSearch::ConfigurationError, "Keyless needs a primary key of one column to be searched")
  end

  it "reports two models with the same index" do
    article_class { hybrid_search content: :body }
    stub_const("Other", Class.new(ActiveRecord::Base) { self.table_name = "articles" })
    Other.hybrid_search(content: :title)
    Article.create!(body: "a shed")
    expect { Other.hybrid("shed").to_a }
      .to raise_error(HybridSearch::InvalidInputError,
                      'Other and Article both have the index "articles": give one of them another index:')
  end

  it "has a digest of how records are made, which depends on nothing else" do
    digest = ->(source) { article_class { class_eval(source, "#{__FILE__}:x") } && Article.hybrid_index.definition }
    same = digest.call("hybrid_search content: :body, callbacks: :inline")
    expect(digest.call("hybrid_search content: :body, callbacks: false, if: :live?, scope: -> { live }")).to eq(same)
    expect(digest.call("hybrid_search content: :title")).not_to eq(same)
    expect(digest.call("hybrid_search content: :body, version: 2")).not_to eq(same)
    expect(digest.call("hybrid_search content: :body, metadata: :lang")).not_to eq(same)
  end

  it "reads the source of methods and lambdas, without comments and white space" do
    Dir.mktmpdir do |folder|
      texts = ["def a = { content: body }\n", "# what\n\n  def a   = {content: body} # x\n",
               "def a = { content: \"ü\" + body }\n",
               "F = [1, ->(x) { x.body }]\n", "# ü\nF = [1, ->( x ) {\n x.body }, 2]\n", "F = [1, ->(x) { x.title }]\n"]
      found = texts.each_with_index.map do |text, number|
        path = File.join(folder, "#{number}.rb")
        File.write(path, text)
        made = Module.new
        made.module_eval(text, path)
        HybridSearch::Rails::CallableSource.of(text.include?("def") ? made.instance_method(:a) : made.const_get(:F)[1])
      end
      expect([found[0], found[0] == found[1], found[0] == found[2], found[3] == found[4], found[3] == found[5]])
        .to eq(["def a = { content: body }", true, false, true, false])
    end
  end
end
