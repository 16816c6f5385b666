# frozen_string_literal: true

module HybridSearch
  module Rails
    # The schemas of a model's index in PostgreSQL, for migrations.
    module PostgresSchemas
      # The ending that a schema with documents adds to the name of its collection.
      NUMBERED = /\A_\d+\z/
      private_constant :NUMBERED

      module_function

      # Create the extension and the tables of the index of a model.
      #
      # @param model [Class] a model that declares `hybrid_search`
      # @param connection [ActiveRecord::ConnectionAdapters::AbstractAdapter] the migration's connection, in no
      #   transaction
      # @return [void]
      # @raise [InvalidInputError] the settings name a store other than PostgreSQL
      def create(model, connection)
        check
        connection.enable_extension("vector")
        model.hybrid_index.collection.use(&:count)
      end

      # Remove the index of a model permanently.
      #
      # @param model [Class]
      # @param connection [ActiveRecord::ConnectionAdapters::AbstractAdapter]
      # @return [void]
      # @raise [InvalidInputError] the settings name a store other than PostgreSQL
      def drop(model, connection)
        check
        Collections.close
        names(model, connection).each do |name|
          connection.execute("DROP SCHEMA #{connection.quote_column_name(name)} CASCADE")
        end
      end

      # @param model [Class]
      # @param connection [ActiveRecord::ConnectionAdapters::AbstractAdapter]
      # @return [Array<String>] the schemas of the index in the database
      def names(model, connection)
        collection = ModelStores.name_of(model.hybrid_index)
        connection.select_values("SELECT nspname FROM pg_namespace ORDER BY nspname").select do |name|
          name == collection || (name.start_with?(collection) && name.delete_prefix(collection).match?(NUMBERED))
        end
      end

      def check
        store = Rails.configuration.store
        return if store == "postgres"

        raise InvalidInputError,
              "the store must be postgres for this migration, not #{Base::Validation.describe(store)} " \
              "(config/hybrid_search.yml)"
      end
      private_class_method :check
    end
  end
end
