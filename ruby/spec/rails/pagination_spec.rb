# frozen_string_literal: true

require "support/rails_models"
require "support/rails_application"

# The views of other gems, in separate programs, because each changes ActiveRecord.
RSpec.describe "Pages of results", skip: RailsApplication.missing do
  def self.gem_missing(name)
    output, status = Open3.capture2e(RbConfig.ruby, "-e", "require 'active_record'; require #{name.dump}")
    status.success? ? nil : "the gem #{name} is missing (#{output.lines.first}): bin/setup installs it on Debian"
  end

  around { |example| RailsApplication.make { |made| (@application = made) && example.run } }

  def shown(library, call, page)
    @application.write("config/application.rb", @application.read("config/application.rb")
                       .sub('require "hybrid_search/rails"', "#{library}\nrequire \"hybrid_search/rails\""))
    @application.write("config/routes.rb", 'Rails.application.routes.draw { get "articles", to: "articles#index" }')
    @application.write("app/controllers/articles_controller.rb", <<~RUBY)
      class ArticlesController < ActionController::Base
        def index
          @articles = Article.hybrid(params[:q], page: params[:page], per: 5)
          render inline: "<% @articles.each do |article| %><p><%= article.title %></p><% end %>#{call}"
        end
      end
    RUBY
    program = <<~RUBY
      require "rack/mock"
      HybridSearch::Rails.callbacks(:bulk) do
        12.times { |n| Article.create!(title: "Shed \#{n}", body: "shed number \#{n}") }
      end
      answer = Rack::MockRequest.new(Rails.application).get("/articles?q=shed&page=#{page}")
      puts answer.status, answer.body
    RUBY
    @application.runner(program)
  end

  it "are shown by kaminari", skip: gem_missing("kaminari") do
    html = shown('require "kaminari"', "<%= paginate @articles %><%= page_entries_info @articles %>", 2)
    expect(html.scan("<p>").size).to eq(5)
    expect(html).to include('<a rel="next" href="/articles?page=3&amp;q=shed">3</a>')
    expect(html).to include("Displaying articles <b>6&nbsp;-&nbsp;10</b> of <b>12</b> in total")
  end

  it "are shown by will_paginate", skip: gem_missing("will_paginate") do
    library = "require \"will_paginate\"\nrequire \"will_paginate/railtie\""
    html = shown(library, "<%= will_paginate @articles %><%= page_entries_info @articles %>", 3)
    expect(html.scan("<p>").size).to eq(2)
    expect(html).to include('<em class="current" aria-label="Page 3" aria-current="page">3</em>').or include(">3</em>")
    expect(html).to include('href="/articles?page=2&amp;q=shed"')
    expect(html).to include("11&nbsp;-&nbsp;12</b> of <b>12</b> in total")
  end

  # Pagy is not a Debian package. This is how its documentation describes `pagy(collection)` and a custom `Pagy.new`.
  it "are accepted by pagy's documented calls" do
    program = <<~RUBY
      12.times { |n| Article.create!(title: "Shed \#{n}", body: "shed number \#{n}") }
      collection = Article.hybrid("shed")
      count = collection.count(:all)
      pages = (1..3).map { |page| collection.offset((page - 1) * 5).limit(5).map(&:id) }
      puts count, pages.map(&:size).inspect, pages.flatten.uniq.size
      results = Article.hybrid("shed", page: 2, per: 5)
      puts({ count: results.total_count, page: results.current_page, limit: results.limit_value }.inspect)
    RUBY
    expect(@application.runner(program)).to eq("12\n[5, 5, 2]\n12\n{:count=>12, :page=>2, :limit=>5}\n")
  end
end
