# frozen_string_literal: true

require "rails/generators"

module HybridSearch
  module Rails
    # The generators of `rails generate`.
    module Generators
      # Writes `config/hybrid_search.yml`: `rails generate hybrid_search:install`.
      class InstallGenerator < ::Rails::Generators::Base
        namespace "hybrid_search:install"
        desc "Makes config/hybrid_search.yml."
        source_root ::File.expand_path("templates", __dir__)

        # @return [void]
        def create_settings
          copy_file("hybrid_search.yml", "config/hybrid_search.yml")
        end

        # Exclude index files from the repository: they are made from the tables.
        #
        # @return [void]
        def ignore_files
          ignored = ".gitignore"
          return unless ::File.exist?(::File.join(destination_root, ignored))
          return if ::File.read(::File.join(destination_root, ignored)).include?("/storage/hybrid_search")

          append_to_file(ignored, "\n/storage/hybrid_search/\n")
        end
      end
    end
  end
end
