# frozen_string_literal: true

require "rails/generators"
require "rails/generators/active_record"

module HybridSearch
  module Rails
    module Generators
      # Writes a migration for indexes in PostgreSQL: `rails generate hybrid_search:postgres Article`.
      class PostgresGenerator < ::Rails::Generators::NamedBase
        include ::ActiveRecord::Generators::Migration

        namespace "hybrid_search:postgres"
        desc "Makes a migration that has the extension vector and the tables of a model's index."
        source_root ::File.expand_path("templates", __dir__)

        # @return [void]
        def create_migration_file
          migration_template("migration.rb.tt",
                             ::File.join(db_migrate_path, "create_hybrid_search_of_#{table_name}.rb"))
        end

        private

        def migration_class
          "CreateHybridSearchOf#{table_name.camelize}"
        end

        def version
          "[#{::ActiveRecord::Migration.current_version}]"
        end
      end
    end
  end
end
