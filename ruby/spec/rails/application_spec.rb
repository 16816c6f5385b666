# frozen_string_literal: true

require "json"
require "support/rails_application"

# A real application, whose programs run in their own processes.
RSpec.describe "A Rails application", skip: RailsApplication.missing do
  by_night = { nightly: "as is", by_day: false }
  around { |example| RailsApplication.make { |made| (@application = made) && example.run } }

  attr_reader :application

  def fill(count = 3)
    application.runner(<<~RUBY)
      #{count}.times { |n| Article.create!(title: "Shed \#{n}", body: "shed number \#{n}", lang: "en", year: n) }
    RUBY
  end

  it "responds to requests, with 400 for invalid ones, and logs the duration of searches" do
    fill
    program = <<~RUBY
      require "rack/mock"
      request = Rack::MockRequest.new(Rails.application)
      ["/articles?q=shed+1", "/articles?q=shed&where[lang]=zh", "/articles?q[]=shed", "/articles?q=shed&where[year][gte]=x",
       "/articles?q=shed&page=abc", "/search/v1/search?q=shed", "/search/v1/search?q=shed#no",
       "/search/"].each do |path|
        answer = request.get(path, path.end_with?("#no") ? {} : { "HTTP_X_TOKEN" => "yes" })
        puts JSON.generate([path, answer.status, answer.body[0, 60]])
      end
      puts JSON.generate([request.delete("/search/v1/documents/1", "HTTP_X_TOKEN" => "yes").status])
    RUBY
    answers = application.runner(program).lines.map { |line| JSON.parse(line) }
    expect(answers.map { |answer| answer[1] || answer[0] }).to eq([200, 200, 400, 400, 200, 200, 404, 200, 403])
    expect(answers[0][2]).to eq('{"titles":["Shed 1","Shed 2","Shed 0"],"total":3}')
    expect(answers[1][2]).to eq('{"titles":[],"total":0}')
    expect(answers[5][2]).to start_with('{"hits":[{"id":"')
    log = application.runner("require 'rack/mock'; Rack::MockRequest.new(Rails.application).get('/articles?q=shed'); " \
                             "Rack::MockRequest.new(Rails.application).get('/empty')", LOG: "1")
    expect(log).to match(/HybridSearch Search \(\d+\.\d+ms\).*3 of 3 hits, page 1/)
    expect(log.lines.grep(/Completed/).map { |line| line[/HybridSearch: \d+\.\dms/] }).to match([/\d/, nil])
    expect(log.lines.grep(/HybridSearch/).grep(/shed/i)).to eq([])
  end

  it "has an index that several processes share, even those forked after it was opened" do
    fill
    program = <<~RUBY
      HybridSearch::Rails.eager_load!
      Article.hybrid("shed").to_a
      reader, writer = IO.pipe
      children = 2.times.map do |number|
        fork do
          found = Article.hybrid("shed").map(&:title).size
          Article.create!(title: "Child \#{number}", body: "shed of a child")
          writer.puts found
          exit!(0)
        end
      end
      children.each { |child| Process.wait(child) }
      puts [reader.gets, reader.gets].sum(&:to_i) >= 6, Article.hybrid("shed").total_count
    RUBY
    expect(application.runner(program)).to eq("true\n5\n")
    expect(application.runner('puts Article.hybrid("child").first(2).map(&:title).sort')).to eq("Child 0\nChild 1\n")
    expect(Dir.children(File.join(application.folder, "storage/hybrid_search"))).to eq(["articles"])
  end

  it "reports by a task and at boot that an index does not match the code, until it is rebuilt", **by_night do
    fill
    expect(application.rake("hybrid_search:status")).to eq(["Article: ok\n", 0])
    changed, status = application.rake("hybrid_search:status", DIMENSION: "32")
    expect([changed.lines.first, status]).to eq(["Article: does not fit the code\n", 1])
    expect(changed).to include('rake "hybrid_search:reindex[Article]"')
    expect(application.runner("", DIMENSION: "32", EAGER: "1",
                                  LOG: "1")).to include("the index of Article does not fit the code (")
    expect(application.runner("puts Article.hybrid('shed 1').first.title", DIMENSION: "32")).to eq("Shed 1\n")
    expect(application.rake("hybrid_search:reindex[Article]", DIMENSION: "32"))
      .to eq(["Article: 3 of 3\nArticle: done\n", 0])
    expect(application.rake("hybrid_search:status", DIMENSION: "32")).to eq(["Article: ok\n", 0])
    expect(application.rake("hybrid_search:clean", DIMENSION: "32",
                                                   GRACE: "0")[0]).to match(/\AArticle: removed 0*1\n\z/)
    application.write("app/models/article.rb",
                      application.read("app/models/article.rb").sub("content: :body", "content: :title"))
    expect(application.rake("hybrid_search:status", DIMENSION: "32")[1]).to eq(1)
    expect(application.rake("hybrid_search:status[Artikle]")[0])
      .to include('unknown model "Artikle"; did you mean "Article"?')
  end

  it "compares index and table, and repairs", **by_night do
    fill
    application.runner("Article.where(id: 1).delete_all; " \
                       "HybridSearch::Rails.callbacks(false) { Article.create!(title: 'x', body: 'new') }")
    expect(application.rake("hybrid_search:verify"))
      .to eq(["Article: 1 missing in the index, 1 not in the table\n  missing: 4\n  surplus: 1\n", 1])
    application.rake("hybrid_search:verify", REPAIR: "1")
    expect(application.rake("hybrid_search:verify")).to eq(["Article: 0 missing in the index, 0 not in the table\n", 0])
  end

  it "continues a killed reindexing", **by_night do
    fill(40)
    program = "Article.reindex(batch_size: 4, progress: ->(done, _) { Process.kill(:KILL, $$) if done >= 20 })"
    application.rails("runner", program, DIMENSION: "32")
    expect(application.runner("puts Article.hybrid('shed 7').total_count", DIMENSION: "32")).to eq("40\n")
    expect(application.rake("hybrid_search:reindex", DIMENSION: "32")[0].lines.size).to be < 4
    expect(application.runner("puts Article.hybrid('shed 7').total_count; puts Article.hybrid('shed 7').first.title",
                              DIMENSION: "32")).to eq("40\nShed 7\n")
  end

  it "has generators" do
    File.delete(File.join(application.folder, "config/hybrid_search.yml"))
    expect(application.rails("generate", "hybrid_search:install")[0]).to include("create  config/hybrid_search.yml")
    expect(application.read(".gitignore")).to include("/storage/hybrid_search/")
    expect(application.runner("puts HybridSearch::Rails.configuration.store")).to eq("file\n")
    expect(application.rails("generate", "hybrid_search:model", "Note", "text", "created_at:metadata",
                             "lang:metadata")[0])
      .to include("insert  app/models/note.rb")
    expect(application.read("app/models/note.rb"))
      .to start_with("class Note < ActiveRecord::Base\n  hybrid_search content: :text, metadata: %i[created_at lang]\n")
    application.rails("generate", "hybrid_search:postgres", "Article")
    path = Dir[File.join(application.folder, "db/migrate/*_create_hybrid_search_of_articles.rb")].first
    expect(File.read(path)).to include("class CreateHybridSearchOfArticles < ActiveRecord::Migration[6.1]")
    expect(application.rails("generate", "hybrid_search:model", "Nobody",
                             "text")[0]).to include("there is no app/models/nobody.rb")
  end

  it "has helpers for its tests" do
    application.write("test/article_test.rb", <<~RUBY)
      require "hybrid_search/rails/minitest"
      class ArticleTest < ActiveSupport::TestCase
        include HybridSearch::Rails::Testing::TestCase
        parallelize(workers: 2, **(Rails::VERSION::MAJOR > 6 ? { threshold: 0 } : {}))
        4.times do |number|
          test "finds what it makes \#{number}" do
            Article.create!(body: "unseen shed")
            with_search do
              Article.create!(body: "a shed")
              assert_equal 1, Article.hybrid("shed").size
              HybridSearch::Rails::Testing.refresh(Article)
              assert_equal 2, Article.hybrid("shed").size
            end
            Article.create!(body: "unseen shed")
            assert_equal 0, Article.hybrid("shed").size
            assert_match(/worker-/, HybridSearch::Rails.configuration.prefix)
          end
        end
      end
    RUBY
    application.write("test/test_helper.rb", 'ENV["RAILS_ENV"] = "test"; require_relative "../config/environment"; ' \
                                             'require "rails/test_help"')
    application.write("test/article_test.rb",
                      "require_relative 'test_helper'\n#{application.read("test/article_test.rb")}")
    application.runner("load 'db/schema.rb'", RAILS_ENV: "test")
    expect(application.rails("test", RAILS_ENV: "test")[0]).to match(/4 runs, 20 assertions, 0 failures, 0 errors/)
  end
end
