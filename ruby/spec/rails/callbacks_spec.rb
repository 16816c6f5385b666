# frozen_string_literal: true

require "support/rails_models"

RSpec.describe "Callbacks of a model", skip: RailsModels.missing do
  include RailsModels

  def declared(**options)
    article_class { hybrid_search content: :body, title: :title, metadata: %i[lang], **options }
  end

  def indexed
    Article.hybrid_index.collection.ids.map(&:to_i)
  end

  def content_of(article)
    Article.hybrid_index.collection.use { |index| index.get(article.id)["content"] }
  end

  def jobs
    ActiveJob::Base.queue_adapter.enqueued_jobs.map { |job| job[:args] || job["arguments"] }
  end

  def run_jobs
    adapter = ActiveJob::Base.queue_adapter
    waiting = adapter.enqueued_jobs.dup
    adapter.enqueued_jobs.clear
    waiting.each { |job| ActiveJob::Base.execute(job.transform_keys(&:to_s).slice(*job.keys.grep(String))) }
  end

  before do
    ActiveJob::Base.queue_adapter = ActiveJob::QueueAdapters::TestAdapter.new
    ActiveJob::Base.queue_adapter.perform_enqueued_jobs = false
  end

  it "write after the commit, and nothing after a rollback" do
    declared(callbacks: :inline)
    article = nil
    Article.transaction do
      article = Article.create!(body: "a shed")
      expect(indexed).to eq([])
    end
    expect(indexed).to eq([article.id])
    Article.transaction do
      article.update!(body: "a house")
      raise ActiveRecord::Rollback
    end
    expect(content_of(article)).to eq("a shed")
    article.reload.update!(body: "a barn")
    expect(content_of(article)).to eq("a barn")
    article.destroy!
    expect(indexed).to eq([])
  end

  it "write and remove by the conditions of the macro" do
    declared(if: :live?, unless: ->(article) { article.lang == "xx" })
    article = Article.create!(body: "a shed")
    expect(indexed).to eq([])
    article.live!
    expect(indexed).to eq([article.id])
    article.update!(lang: "xx")
    expect(indexed).to eq([])
    article.update!(lang: "en")
    article.gone!
    expect(indexed).to eq([])
  end

  it "enqueue a job for each record, or one for all of a request, which may run at any time and twice" do
    declared(callbacks: :async)
    articles = Array.new(3) { |number| Article.create!(body: "shed #{number}") }
    expect(jobs).to eq(articles.map { |article| ["Article", [article.id]] })
    articles[0].update!(body: "a barn")
    articles[1].destroy!
    2.times { run_jobs_of(articles) }
    expect([indexed.sort, content_of(articles[0])]).to eq([[articles[0].id, articles[2].id], "a barn"])
  end

  def run_jobs_of(articles)
    articles.shuffle.each { |article| HybridSearch::Rails::SyncJob.perform_now("Article", [article.id]) }
  end

  it "enqueue one job for all changes of a request" do
    declared(callbacks: :queue)
    executor = Class.new(ActiveSupport::Executor)
    executor.to_complete { HybridSearch::Rails::ChangeQueue.flush }
    stub_const("Rails", Module.new).define_singleton_method(:application) { Struct.new(:executor).new(executor) }
    executor.wrap do
      3.times { |number| Article.create!(body: "shed #{number}") }
      Article.first.update!(lang: "en")
      expect(jobs).to eq([])
    end
    expect(jobs).to eq([["Article", Article.ids]])
    Article.first.touch
    expect(jobs.last).to eq(["Article", [Article.first.id]])
  end

  it "collect all changes of a block, and lose none in failures" do
    declared(callbacks: :async)
    HybridSearch::Rails.callbacks(:bulk) do
      5.times { |number| Article.create!(body: "shed #{number}") }
      Article.first.destroy!
      expect(indexed).to eq([])
    end
    expect([indexed.sort, jobs]).to eq([Article.ids, []])
    expect do
      HybridSearch::Rails.callbacks(:bulk) do
        Article.create!(body: "the last")
        raise "broken"
      end
    end.to raise_error("broken")
    expect(indexed.sort).to eq(Article.ids)
    HybridSearch::Rails.callbacks(false) { Article.create!(body: "unseen") }
    expect([indexed.size, Article.count]).to eq([5, 6])
    HybridSearch::Rails.callbacks(:inline) { HybridSearch::Rails.callbacks(false) { nil } && Article.last.touch }
    expect { HybridSearch::Rails.callbacks(:later) { nil } }.to raise_error(
      HybridSearch::InvalidInputError, 'mode must be one of :bulk, :inline, :async, :queue, false, not "later"'
    )
    expect(HybridSearch::Rails::CallbackMode.current).to be_nil
  end

  it "write the changes that a touch of an association causes" do
    declared(callbacks: :inline)
    Article.class_eval do
      def search_data = { content: [body, *Comment.where(article_id: id).order(:id).pluck(:text)].join("\n") }
    end
    stub_const("Comment", Class.new(ActiveRecord::Base) { self.table_name = "comments" })
    Comment.belongs_to(:article, touch: true)
    article = Article.create!(body: "a shed")
    comment = Comment.create!(article:, text: "of oak")
    expect(content_of(article)).to eq("a shed\nof oak")
    comment.update!(text: "of pine")
    expect(content_of(article)).to eq("a shed\nof pine")
    comment.destroy!
    expect(content_of(article)).to eq("a shed")
  end

  it "retry after failures of the store or the embedding, with growing pauses" do
    declared(callbacks: :async)
    article = Article.create!(body: "a shed")
    ActiveJob::Base.queue_adapter.enqueued_jobs.clear
    [HybridSearch::DocStoreError, HybridSearch::EmbeddingError].each do |error|
      allow(Article.hybrid_index.collection).to receive(:sync).and_raise(error, "away")
      HybridSearch::Rails::SyncJob.perform_now("Article", [article.id])
    end
    expect(ActiveJob::Base.queue_adapter.enqueued_jobs.map { |job| job[:at] - Time.now.to_f }).to all(be_between(1, 9))
    allow(Article.hybrid_index.collection).to receive(:sync).and_raise(HybridSearch::InvalidInputError, "wrong")
    expect { HybridSearch::Rails::SyncJob.perform_now("Article", [article.id]) }.to raise_error("wrong")
    allow(Article.hybrid_index.collection).to receive(:sync).and_call_original
    HybridSearch::Rails::SyncJob.perform_now("Article", [article.id])
    expect(indexed).to eq([article.id])
  end

  it "leave the newest text if another writer changes the row after it was read" do
    declared(callbacks: false)
    article = Article.create!(body: "old")
    rows = Article.hybrid_index.method(:rows)
    other = nil
    allow(Article.hybrid_index).to receive(:rows) do |ids|
      rows.call(ids).tap do
        other ||= Thread.new do
          Article.where(id: article.id).update_all(body: "new")
          Article.hybrid_index.sync([article.id])
        ensure
          ActiveRecord::Base.connection_pool.release_connection
        end
        sleep(0.1)
      end
    end
    Article.hybrid_index.sync([article.id])
    other.join
    expect(content_of(article)).to eq("new")
  end

  it "write a record, or those of a relation, on demand" do
    declared(callbacks: false)
    articles = Array.new(4) { |number| Article.create!(body: "shed #{number}", lang: number < 2 ? "en" : "zh") }
    articles[3].reindex
    expect(indexed).to eq([articles[3].id])
    expect([Article.where(lang: "en").reindex, indexed.sort]).to eq([2, articles.values_at(0, 1, 3).map(&:id)])
    Article.where(id: articles[0].id).delete_all
    told = []
    Article.reindex(progress: ->(done, total) { told << [done, total] }, batch_size: 2)
    expect([indexed.sort, told.last]).to eq([articles.values_at(1, 2, 3).map(&:id), [3, 3]])
    expect do
      Article.reindex(refresh: true)
    end.to raise_error(HybridSearch::InvalidInputError, /unknown option of reindex/)
  end
end
