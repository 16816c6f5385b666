# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require "rbconfig"
require "tempfile"
require "tmpdir"

# A small Rails application in a temporary folder, whose programs run in their own processes.
class RailsApplication
  VARIABLES = { "RUBYOPT" => "-W0", "RUBYLIB" => File.expand_path("../../lib", __dir__) }.freeze
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

  # @return [String, nil] why examples are skipped
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

  # The folder of an application with empty tables. It is made once, by a process that loads everything itself.
  def self.prepared
    @prepared ||= Dir.mktmpdir.tap do |folder|
      owner = Process.pid
      at_exit { FileUtils.rm_rf(folder) if Process.pid == owner }
      new(folder)
      output, status = Open3.capture2e({ "RAILS_ENV" => "development", **VARIABLES }, RbConfig.ruby, "bin/rails",
                                       "runner", "load 'db/schema.rb'", chdir: folder)
      raise output unless status.success?
    end
  end
  private_class_method :prepared

  # Start a process of Rails in a folder, forked from one that has loaded the libraries ({RailsStarter}).
  #
  # @return [Integer, nil] its exit status
  def self.start(**process)
    starter.puts(JSON.generate(process))
    starter.flush
    JSON.parse(starter.readline)
  end

  def self.starter
    @starter ||= IO.popen([VARIABLES, RbConfig.ruby, File.expand_path("rails_starter.rb", __dir__)], "r+").tap do |made|
      owner = Process.pid
      at_exit { made.close if Process.pid == owner }
    end
  end
  private_class_method :starter

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

  # Run a program in the application, and return its output.
  def runner(program, **environment)
    output, status = rails("runner", program, **environment)
    raise output unless status&.zero?

    output
  end

  # @return [Array(String, Integer)] the output of a task, and its status
  def rake(*tasks, **environment)
    run(Gem.bin_path("rake", "rake"), tasks, environment)
  end

  def rails(*arguments, **environment)
    run(File.join(folder, "bin/rails"), arguments, environment)
  end

  private

  def run(script, arguments, environment)
    Tempfile.create("output") do |output|
      variables = { "RAILS_ENV" => "development", **environment.transform_keys(&:to_s) }
      status = self.class.start(script:, arguments:, variables:, folder:, output: output.path)
      [File.read(output.path, encoding: "UTF-8"), status]
    end
  end
end
