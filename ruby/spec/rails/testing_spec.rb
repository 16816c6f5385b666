# frozen_string_literal: true

require "support/rails_models"

RSpec.describe "Helpers for tests", skip: RailsModels.missing do
  include RailsModels

  before do
    require "hybrid_search/rails/testing"
    article_class { hybrid_search content: :body, callbacks: :async }
    ActiveJob::Base.queue_adapter = :test
  end

  after { HybridSearch::Rails::Testing.reset! }

  def testing
    HybridSearch::Rails::Testing
  end

  it "write nothing, write at once, or follow the models" do
    testing.disable!
    Article.create!(body: "a shed")
    expect([Article.hybrid("shed").size, ActiveJob::Base.queue_adapter.enqueued_jobs.size]).to eq([0, 0])
    testing.inline!
    Article.create!(body: "a shed")
    expect(Article.hybrid("shed").size).to eq(1)
    HybridSearch::Rails.callbacks(false) { Article.create!(body: "a shed") }
    testing.reset!
    Article.create!(body: "a shed")
    expect([Article.hybrid("shed").size, ActiveJob::Base.queue_adapter.enqueued_jobs.size]).to eq([1, 1])
  end

  it "refresh an index, and empty it before and after a block" do
    testing.disable!
    articles = Array.new(3) { |number| Article.create!(body: "shed #{number}") }
    testing.refresh(Article)
    articles[0].destroy!
    expect(Article.hybrid("shed").total_count).to eq(3)
    testing.refresh
    expect(Article.hybrid("shed").total_count).to eq(2)
    inside = testing.searching do
      Article.create!(body: "another shed")
      Article.hybrid("shed").size
    end
    expect([inside, Article.hybrid("shed").size, testing.mode]).to eq([1, 0, false])
  end

  it "make vectors that are the same in every run" do
    testing.fake_embeddings!(dimension: 32)
    testing.inline!
    Article.create!(body: "a shed of oak")
    expect(Article.hybrid("a shed of oak").hits.first.scores.cosine).to be_within(1e-12).of(1.0)
    expect(Article.hybrid_index.collection.use { |index| index.store.vector_fields.keys }).to eq(["q_32_vec"])
  end

  it "provide each worker with its own index" do
    testing.inline!
    Article.create!(body: "a shed")
    testing.worker(2)
    expect([HybridSearch::Rails.configuration.prefix, Article.hybrid("shed").size]).to eq(["worker-2-", 0])
    testing.worker(3)
    expect(HybridSearch::Rails.configuration.prefix).to eq("worker-3-")
  end

  it "work in RSpec by a tag" do
    Dir.mktmpdir do |folder|
      File.write(File.join(folder, "a_spec.rb"), <<~RUBY)
        require "active_record"
        require "hybrid_search/rails/rspec"
        ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ":memory:")
        ActiveRecord::Schema.verbose = false
        ActiveRecord::Schema.define { create_table(:notes) { |table| table.text :text } }
        HybridSearch::Rails.configure(store: "memory")
        Note = Class.new(ActiveRecord::Base) { def self.name = "Note" }
        Note.hybrid_search content: :text
        RSpec.describe Note do
          it("finds", :hybrid_search) { Note.create!(text: "x") && expect(Note.hybrid("x").size).to(eq(1)) }
          it("begins with nothing", :hybrid_search) { expect(Note.hybrid("x").size).to eq(0) }
          it("writes nothing") { Note.create!(text: "x") && expect(Note.hybrid("x").size).to(eq(0)) }
        end
      RUBY
      library = File.expand_path("../../lib", __dir__)
      variables = { "SPEC_OPTS" => "--options #{folder}/none", "RUBYLIB" => library, "RUBYOPT" => "-W0" }
      File.write(File.join(folder, "none"), "")
      output, status = Open3.capture2e(variables, "rspec", "a_spec.rb", chdir: folder)
      expect([output[/\d+ examples, \d+ failures/], status.success?]).to eq(["3 examples, 0 failures", true]), output
    end
  end
end
