# frozen_string_literal: true

require "support/rails_models"

RSpec.describe "Results of a model", skip: RailsModels.missing do
  include RailsModels

  before do
    article_class do
      hybrid_search content: :body, title: :title, metadata: %i[status lang year price pinned published_at day]
      scope :english, -> { where(lang: "en") }
    end
    author = Author.create!(name: "Ann")
    25.times do |number|
      Article.create!(title: "Shed #{number}", author:,
                      body: "How to build shed number #{number}, in <b>wood</b> & steel",
                      status: number.even? ? "live" : "draft", lang: number < 10 ? "en" : "zh", year: 2000 + number,
                      published_at: number.days.ago, pinned: number < 3, price: BigDecimal("1.50") * number)
    end
  end

  def found(...)
    Article.hybrid("build a shed", ...)
  end

  it "searches only when results are needed, and loads all records with one statement" do
    expect(statements { Article.hybrid("shed", per: 5).inspect }).to eq([])
    results = Article.hybrid("shed number 7", per: 5)
    expect(statements { results.map(&:title) }.size).to eq(1)
    expect(statements do
             results.each_with_hit do |article, hit|
               [article, hit]
             end && results.size && results.ids
           end).to eq([])
    expect([results.size, results.total_count]).to eq([5, 25])
    expect(results.first.title).to eq("Shed 7")
    expect(results.with_hits.map { |article, hit| [article.id.to_s, hit.doc_id] }.map(&:uniq).map(&:size)).to all(eq(1))
    expect(results.hit_for(results.last).score).to be_a(Float)
    expect(results.hit_for(Article.find_by!(title: "Shed 20"))).to be_nil
    expect(statements { Article.hybrid("shed", per: 5).hits }).to eq([])
  end

  it "has the order of the index in spite of the order of the database" do
    expected = HybridSearch::Rails::Collections.of(Article.hybrid_index).search("shed number 7", limit: 25).map(&:id)
    walked = (1..5).flat_map { |page| Article.hybrid("shed number 7", page:, per: 5).map { |article| article.id.to_s } }
    expect(walked).to eq(expected)
  end

  it "loads associations on request" do
    expect(statements { found(per: 3, includes: :author).each { |article| article.author.name } }.size).to eq(2)
    expect(statements { found(per: 3).includes(:author).each { |article| article.author.name } }.size).to eq(2)
  end

  it "drops deleted records, counts them, and has the same total on every page" do
    gone = found(per: 5).first
    Article.where(id: gone.id).delete_all
    results = found(per: 5)
    expect([results.size, results.missing_count, results.total_count, results.hits.size]).to eq([4, 1, 25, 5])
    expect(results.map(&:id)).not_to include(gone.id)
    expect((1..6).map { |page| found(per: 5, page:).total_count }.uniq).to eq([25])
  end

  it "shows the first page for every page that is not a number of at least 1" do
    [nil, "", "abc", "0", 0, -3, [], {}, "1; drop", "-2", 1.5, "\xff"].each do |page|
      results = found(page:, per: 10)
      expect([results.current_page, results.first_page?, results.size]).to eq([1, true, 10]), page.inspect
    end
    expect([found(page: "3", per: 10).current_page, found(page: 3, per: 10).size]).to eq([3, 5])
    [nil, "", "abc", 0, -1, "-5"].each { |per| expect(found(per:).limit_value).to eq(20) }
    expect([found(per: "7").limit_value, found(per: 5000).limit_value]).to eq([7, 1024])
  end

  it "has the methods of pages of kaminari and will_paginate" do
    page = ->(number) { found(page: number, per: 10) }
    asked = %i[current_page total_pages limit_value offset_value total_count prev_page next_page first_page? last_page?
               out_of_range? per_page total_entries previous_page out_of_bounds?]
    expect(asked.map { |name| page.call(1).public_send(name) })
      .to eq([1, 3, 10, 0, 25, nil, 2, true, false, false, 10, 25, nil, false])
    expect(asked.map { |name| page.call(3).public_send(name) })
      .to eq([3, 3, 10, 20, 25, 2, nil, false, true, false, 10, 25, 2, false])
    expect([page.call(9).out_of_range?, page.call(9).to_a, page.call(9).next_page, page.call(9).total_count])
      .to eq([true, [], nil, 25])
    expect([page.call(1).entry_name(count: 1), page.call(1).entry_name(count: 2)]).to eq(%w[article articles])
  end

  it "supports the calls of pagy: the count of all, an offset and a limit" do
    results = found
    expect([results.count(:all), results.offset(10).limit(10).map(&:id)])
      .to eq([25, found(page: 2, per: 10).map(&:id)])
    expect { found(offset: 5, per: 10) }
      .to raise_error(HybridSearch::InvalidInputError,
                      "offset must be a multiple of 10, the number of records on a page, not 5")
  end

  it "marks matches in texts that are safe, whether there is a match or not" do
    Article.create!(title: "Hostile", body: "<script>alert('shed')</script> & <img src=x onerror=alert(1)>")
    Article.create!(title: "Nothing", body: "<script>alert(1)</script>")
    results = found(per: 100, highlight: true)
    expect(results.map { |article| results.highlight_for(article) }).to all(be_a(ActiveSupport::SafeBuffer))
    expect(results.map { |article| results.highlight_for(article) }.grep(%r{<(?!/?em>)})).to eq([])
    hostile = results.find { |article| article.title == "Hostile" }
    expect(results.highlight_for(hostile)).to eq("&lt;script&gt;alert(&#39;<em>shed</em>&#39;)&lt;/script&gt; &amp; " \
                                                 "&lt;img src=x onerror=alert(1)&gt;")
    nothing = results.find { |article| article.title == "Nothing" }
    expect(results.hit_for(nothing).highlight).to eq("&lt;script&gt;alert(1)&lt;/script&gt;")
    plain = found(per: 100)
    expect([plain.first && plain.hit_for(plain.first).highlight, plain.highlight_for(plain.first)])
      .to match([nil, be_a(ActiveSupport::SafeBuffer)])
  end

  it "filters by values that are cast as ActiveRecord casts them" do
    {
      { status: "live" } => 13, { status: :live } => 13, { "status" => %w[live draft] } => 25, { lang: nil } => 0,
      { lang: { not: "en" } } => 15, { lang: ["en", nil] } => 10, { year: "2003" } => 1, { year: 2003..2005 } => 3,
      { year: 2003...2005 } => 2, { year: 2020.. } => 5, { year: { gte: "2020", lt: 2022 } } => 2,
      { pinned: "1" } => 3, { pinned: false } => 22, { published_at: 4.5.days.ago.. } => 5,
      { published_at: 4.5.days.ago.to_s.. } => 5, { price: "1.5" } => 1, { price: BigDecimal("3") } => 1,
      { price: ..3 } => 3, { not: { lang: "en" } } => 15, { any: [{ year: 2000 }, { lang: "zh", year: 2020.. }] } => 6,
      { all: [{ lang: "en" }, { year: 2004.. }] } => 6, { id: Article.first.id } => 1,
      { id: Article.ids.first(3) } => 3,
      { id: Article.where(lang: "en") } => 10, { day: nil } => 25, {} => 25, { status: { not: %w[draft gone] } } => 13,
      { lang: { starts_with: "e" } } => 10, { status: { contains: "af" } } => 12
    }.each { |where, count| expect(found(where:).total_count).to eq(count), where.inspect }
  end

  it "refuses unknown names and values of other types" do
    {
      { stauts: 1 } => 'unknown name in where "stauts"; did you mean "status"? Known: status, lang, year, price, ' \
                       "pinned, published_at, day, id; metadata: of hybrid_search declares them",
      { status: "lve" } => 'where.status must be one of draft, live, gone, not "lve"',
      { year: "many" } => 'where.year must be a value of the type integer, not "many"',
      { published_at: { gte: "soon" } } => 'where.published_at.gte must be a value of the type datetime, not "soon"',
      { year: { _not: 3 } } => 'unknown operator in where.year "_not"; use not. ' \
                               "Known: eq, in, not, gt, gte, lt, lte, contains, starts_with, ends_with, exists",
      { any: { year: 1 } } => "where.any must be a list of conditions, not an object of 1"
    }.each do |where, message|
      expect { found(where:) }.to raise_error(HybridSearch::InvalidInputError, message)
    end
    expect do
      found(order: { titel: :asc })
    end.to raise_error(HybridSearch::InvalidInputError, /unknown name in order "titel"/)
    expect { found(facets: %i[body]) }.to raise_error(HybridSearch::InvalidInputError, /unknown name in facets "body"/)
    expect { found(order: { year: :sideways }) }
      .to raise_error(HybridSearch::InvalidInputError, 'order.year must be one of asc, desc, not "sideways"')
  end

  it "orders and counts by attributes" do
    [{ year: :desc }, "year desc", "-year", [{ year: "DESC" }, :id], %w[-year lang]].each do |order|
      expect(found(order:, per: 2).map(&:year)).to eq([2024, 2023]), order.inspect
    end
    expect(found(order: :year, per: 1).first.year).to eq(2000)
    expect(found(facets: %i[lang], per: 1).facets)
      .to eq("lang" => [{ "value" => "zh", "count" => 15 }, { "value" => "en", "count" => 10 }])
    expect(found(collapse: :lang).hits.map(&:others).sort).to eq([9, 14])
    expect { found(collapse: :body) }.to raise_error(HybridSearch::InvalidInputError, /unknown name in collapse "body"/)
  end

  it "searches within a relation, by equalities, by ids, and by querying it for the candidates" do
    expect(statements { expect(Article.english.hybrid("shed").total_count).to eq(10) }).to eq([])
    expect(Article.live.english.hybrid("shed").total_count).to eq(5)
    ids = Article.where("year > 2020").ids
    by_ids = Article.where("year > 2020").hybrid("shed", per: 3)
    expect([by_ids.total_count, by_ids.map(&:id) - ids]).to eq([4, []])
    stub_const("HybridSearch::Rails::Narrowing::MOST", 2)
    asked = (1..2).flat_map { |page| Article.where("year > 2020").hybrid("shed", per: 3, page:).to_a }
    expect([asked.map(&:id).sort, Article.where("year > 2020").hybrid("shed").total_count]).to eq([ids.sort, 4])
    expect(asked.map(&:id).first(3)).to eq(by_ids.map(&:id))
    expect(Article.joins(:author).where(authors: { name: "Bob" }).hybrid("shed").to_a).to eq([])
    expect(Article.includes(:author).where(authors: { name: "Ann" }).references(:authors).hybrid("shed").size).to eq(20)
    expect(Article.select(:title).hybrid("shed", per: 2).map(&:title).size).to eq(2)
  end

  it "runs no query for an empty relation" do
    expect(statements { expect(Article.none.hybrid("shed").to_a).to eq([]) }).to eq([])
    expect(statements { expect(Article.hybrid("  ").total_count + Article.hybrid(nil).total_count).to eq(0) }).to eq([])
    expect(Article.hybrid("", facets: %i[lang]).facets).to eq("lang" => [])
    expect(Article.hybrid("", match_all: true, per: 4).size).to eq(4)
  end

  it "refuses relations whose limit, offset, group or order would be lost" do
    { limit: "per:", offset: "page:", order: "order:", group: "facets:" }.each do |step, word|
      relation = Article.public_send(step, %i[limit offset].include?(step) ? 3 : :lang)
      expect { relation.hybrid("shed") }.to raise_error(
        HybridSearch::InvalidInputError, "a relation with #{step} cannot be searched; use the option #{word} of hybrid"
      )
    end
  end

  it "applies default scopes, and loads through them" do
    Article.class_eval { default_scope { where(lang: "zh").order(:id) } }
    expect([found.total_count, found(per: 30).map(&:lang).uniq]).to eq([15, ["zh"]])
  end

  it "finds similar records, also for one that is not in the index" do
    article = Article.find_by!(title: "Shed 7")
    expect(article.similar(per: 3).map(&:id)).not_to include(article.id)
    expect(article.similar(where: { lang: "zh" }).total_count).to eq(15)
    HybridSearch::Rails.callbacks(false) do
      article = Article.create!(title: "Shed", body: "How to build shed number 9")
    end
    expect(article.similar(per: 1).first.title).to eq("Shed 9")
  end

  it "passes on other options, and uses the defaults of the macro" do
    expect { found(min_cosine: 2).to_a }.to raise_error(HybridSearch::InvalidInputError, /\Amin_cosine must be/)
    expect(found(explain: true, per: 1).explain).to include("hits")
    expect(found(min_cosine: 0.99).total_count).to eq(0)
  end

  it "refuses questions that are not text" do
    [["a"], { a: 1 }, 5].each do |question|
      expect { Article.hybrid(question) }.to raise_error(HybridSearch::InvalidInputError, /\Aquestion must be a text/)
    end
  end
end
