# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"

# A small Rails application in a temporary folder, whose programs are run as processes of their own.
class RailsApplication
  LIBRARY = File.expand_path("../../lib", __dir__)
  FILES = {
    "config/application.rb" => <<~RUBY,
      require "logger"
      require "active_record/railtie"
      require "active_job/railtie"
      require "action_controller/railtie"
      require "rails/test_unit/railtie"
      require "hybrid_search/rails"

      class Shop < Rails::Application
        config.root = File.expand_path("..", __dir__)
        config.load_defaults 6.1
        config.eager_load = ENV["EAGER"] == "1"
        config.secret_key_base = "only for specs"
        config.hosts.clear
        config.consider_all_requests_local = false
        config.action_dispatch.show_exceptions = true
        config.active_job.queue_adapter = :inline
        config.logger = ENV["LOG"] ? Logger.new($stdout) : Logger.new(nil)
        config.log_level = :debug
      end
    RUBY
    "config/environment.rb" => <<~RUBY,
      require_relative "application"
      Rails.application.initialize!
    RUBY
    "config/database.yml" => <<~YAML,
      default: &default
        adapter: sqlite3
        database: db/<%= Rails.env %>.sqlite3
        timeout: 5000
      development: *default
      test: *default
      production: *default
    YAML
    "config/hybrid_search.yml" => <<~YAML,
      shared:
        queue: search
      development:
        store: file
        embedding: { name: hashing, dimension: <%= ENV.fetch("DIMENSION", "64") %> }
      test:
        store: memory
        embedding: hashing
      production:
        store: memory
    YAML
    "config/routes.rb" => <<~RUBY,
      Rails.application.routes.draw do
        get "articles", to: "articles#index"
        get "empty", to: "articles#empty"
        mount HybridSearch::Rails.search_page(Article) { |request| request.get_header("HTTP_X_TOKEN") == "yes" } => "/search"
      end
    RUBY
    "app/controllers/articles_controller.rb" => <<~RUBY,
      class ArticlesController < ActionController::Base
        def index
          articles = Article.hybrid(params[:q], where: params.fetch(:where, {}).permit(:lang, year: {}),
                                    page: params[:page])
          render json: { titles: articles.map(&:title), total: articles.total_count }
        end

        def empty
          head :ok
        end
      end
    RUBY
    "app/models/article.rb" => <<~RUBY,
      class Article < ActiveRecord::Base
        hybrid_search content: :body, title: :title, metadata: %i[lang year]
      end
    RUBY
    "app/models/note.rb" => <<~RUBY,
      class Note < ActiveRecord::Base
      end
    RUBY
    "db/schema.rb" => <<~RUBY,
      ActiveRecord::Schema.define do
        create_table :articles, force: true do |table|
          table.string :title
          table.text :body
          table.string :lang
          table.integer :year
        end
        create_table(:notes, force: true) { |table| table.text :text }
      end
    RUBY
    "Rakefile" => <<~RUBY,
      require_relative "config/application"
      Rails.application.load_tasks
    RUBY
    ".gitignore" => "/log\n",
    "bin/rails" => <<~RUBY
      require "pathname"
      APP_PATH = File.expand_path("../config/application", __dir__)
      require "rails/commands"
    RUBY
  }.freeze

  # @return [String, nil] why examples are left out
  def self.missing
    return @missing if defined?(@missing)

    program = 'require "active_record/railtie"; require "active_job/railtie"; require "action_controller/railtie"; ' \
              'require "rails/test_unit/railtie"; require "sqlite3"'
    output, status = Open3.capture2e(RbConfig.ruby, "-e", program)
    @missing = "Rails is missing (#{output.lines.first}): bin/setup installs it on Debian" unless status.success?
    @missing
  end

  # @yieldparam application [RailsApplication]
  def self.make
    Dir.mktmpdir do |folder|
      FileUtils.cp_r("#{prepared}/.", folder)
      yield new(folder)
    end
  end

  # The folder of an application with empty tables. It is made once, since Rails takes a second to start.
  def self.prepared
    @prepared ||= Dir.mktmpdir.tap do |folder|
      owner = Process.pid
      at_exit { FileUtils.rm_rf(folder) if Process.pid == owner }
      new(folder).runner("load 'db/schema.rb'")
    end
  end
  private_class_method :prepared

  attr_reader :folder

  def initialize(folder)
    @folder = folder
    FILES.each { |path, content| write(path, content) }
  end

  def write(path, content)
    place = File.join(folder, path)
    FileUtils.mkdir_p(File.dirname(place))
    File.write(place, content)
  end

  def read(path)
    File.read(File.join(folder, path), encoding: "UTF-8")
  end

  # Run a program in the application, and give what it prints.
  def runner(program, **environment)
    output, status = run(["bin/rails", "runner", program], environment)
    raise output unless status.success?

    output
  end

  # @return [Array(String, Integer)] what a task prints, and its status
  def rake(*tasks, **environment)
    output, status = run(["-S", "rake", *tasks], environment)
    [output, status.exitstatus]
  end

  def rails(*arguments, **environment)
    output, status = run(["bin/rails", *arguments], environment)
    [output, status.exitstatus]
  end

  private

  def run(arguments, environment)
    variables = { "RAILS_ENV" => "development", "RUBYOPT" => "-W0", "RUBYLIB" => LIBRARY,
                  **environment.transform_keys(&:to_s) }
    Open3.capture2e(variables, RbConfig.ruby, *arguments, chdir: folder)
  end
end
