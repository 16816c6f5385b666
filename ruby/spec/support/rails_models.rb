# frozen_string_literal: true

require "tmpdir"

# Models of a small application over a real SQLite database in a temporary file, for the specs of the integration.
module RailsModels
  # @return [String, nil] why examples are skipped
  def self.missing
    @missing ||= begin
      load_gems
      ""
    rescue LoadError => e
      "a gem is missing (#{e.message}): bin/setup installs ruby-rails, ruby-sqlite3 and others on Debian"
    end
    @missing.empty? ? nil : @missing
  end

  def self.load_gems
    verbose = $VERBOSE
    $VERBOSE = nil # the gems' own warnings
    require "active_record"
    require "active_job"
    require "sqlite3"
    require "active_record/connection_adapters/sqlite3_adapter"
    require "hybrid_search/rails"
    require "hybrid_search/generations"
  ensure
    $VERBOSE = verbose
  end

  def self.connect
    return if @folder

    @folder = Dir.mktmpdir
    at_exit { FileUtils.remove_entry(@folder) if File.directory?(@folder) && Process.pid == @process }
    @process = Process.pid
    ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: File.join(@folder, "test.sqlite3"))
    ActiveJob::Base.logger = nil
    ActiveRecord::Schema.verbose = false
    make_tables
  end

  def self.make_tables
    ActiveRecord::Schema.define do
      create_table(:accounts) { |table| table.string(:name) }
      create_table(:authors) { |table| table.string(:name) }
      create_table(:comments) { |table| table.text(:text).then { table.integer(:article_id) } }
      create_table(:articles) do |table|
        table.string :title
        table.text :body
        table.integer :status, default: 0
        table.string :lang
        table.integer :year
        table.decimal :price, precision: 8, scale: 2
        table.boolean :pinned
        table.references :account
        table.references :author
        table.datetime :published_at
        table.date :day
        table.timestamps
      end
    end
  end

  # A model of the table `articles`, under the name `Article`.
  def article_class(&)
    author = Class.new(ActiveRecord::Base) { self.table_name = "authors" }
    stub_const("Author", author)
    stub_const("Article", Class.new(ActiveRecord::Base) { self.table_name = "articles" })
    Article.belongs_to(:author, optional: true)
    Article.enum(status: { draft: 0, live: 1, gone: 2 })
    Article.class_eval(&)
    Article
  end

  def settings(**changes)
    HybridSearch::Rails.configure(store: "memory", embedding: { "name" => "hashing", "dimension" => 64 },
                                  callbacks: "inline", **changes)
  end

  # The statements that a block sends to the database, without those about its tables.
  def statements(&)
    found = []
    listen = lambda { |*, data|
      found << data[:sql] unless data[:name] == "SCHEMA" || data[:sql].match?(/\A(?:BEGIN|COMMIT)/i)
    }
    ActiveSupport::Notifications.subscribed(listen, "sql.active_record", &)
    found
  end

  def self.included(group)
    group.before do
      RailsModels.connect
      settings
      ActiveRecord::Base.connection.tables.each do |table|
        ActiveRecord::Base.connection.execute("delete from #{table}")
      end
    end
    group.after do
      HybridSearch::Rails::Collections.close
      HybridSearch::Rails::Models.instance_variable_set(:@names, [])
    end
  end
end
