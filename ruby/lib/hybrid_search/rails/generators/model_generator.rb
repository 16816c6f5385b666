# frozen_string_literal: true

require "rails/generators"
require "rails/generators/named_base"

module HybridSearch
  module Rails
    module Generators
      # Writes the macro into a model: `rails generate hybrid_search:model Article body title status:metadata`.
      #
      # The first name is the content, the second the title; `metadata` marks names for filters, and `tenant` the
      # tenant.
      class ModelGenerator < ::Rails::Generators::NamedBase
        ROLES = %w[content title metadata tenant].freeze
        private_constant :ROLES

        namespace "hybrid_search:model"
        desc "Writes hybrid_search into a model."
        argument :attributes, type: :array, default: [], banner: "body title status:metadata account_id:tenant"

        # @return [void]
        def write_macro
          path = ::File.join("app/models", class_path, "#{file_name}.rb")
          unless ::File.exist?(::File.join(destination_root, path))
            raise ::Thor::Error, "there is no #{path}: make the model first, rails generate model #{class_name}"
          end

          inject_into_class(path, class_name, "  hybrid_search #{options_of_macro}\n\n")
        end

        private

        # Read the names with their roles; no columns are made from them.
        def parse_attributes!
          roles = { "metadata" => [] }
          Array(attributes).each { |text| place(roles, *text.split(":", 2)) }
          @roles = roles
        end

        def place(roles, name, role = nil)
          role ||= %w[content title].find { |each| !roles.key?(each) } || "metadata"
          raise ::Thor::Error, "#{role} must be one of #{ROLES.join(", ")}" unless ROLES.include?(role)

          role == "metadata" ? roles[role] << name : roles[role] = name
        end

        def options_of_macro
          parts = [["content", @roles["content"] || "body"], ["title", @roles["title"]], ["tenant", @roles["tenant"]]]
          written = parts.filter_map { |option, name| "#{option}: :#{name}" if name }
          written.insert(-1, "metadata: %i[#{@roles["metadata"].join(" ")}]") unless @roles["metadata"].empty?
          written.join(", ")
        end
      end
    end
  end
end
