# frozen_string_literal: true

module HybridSearch
  module Rails
    # The index of one model: its options, its collection, and the operations on both.
    class ModelIndex
      include Base::ShortInspect

      # The maximum number of characters of a record that are compared.
      LONGEST_TEXT = 1024
      private_constant :LONGEST_TEXT

      # @return [Class] the model
      attr_reader :model
      # @return [ModelOptions]
      attr_reader :options

      # @param model [Class]
      # @param options [ModelOptions]
      def initialize(model, options)
        @model = model
        @options = options
        @maker = RecordMaker.new(options)
      end

      # @return [String] the name of the collection: that of the table, unless `index:` names another one
      def name
        options.index || model.table_name.tr("/", "_")
      end

      # @return [Symbol, Boolean] the reaction to a changed record: `:inline`, `:async`, `:queue` or false
      def callbacks
        options.callbacks.nil? ? Rails.configuration.callbacks : options.callbacks
      end

      # @return [void]
      # @raise [ConfigurationError] the table has no primary key, or its primary key has several columns
      def check_key
        return if model.primary_key.is_a?(::String)

        raise ConfigurationError, "#{model.name} needs a primary key of one column to be searched"
      end

      # @return [Object] the collection, with the methods of {Generations}: `search`, `upsert`, `delete`, `reindex`,
      #   `status` …
      def collection
        Collections.of(self)
      end

      # @return [AttributeNames] the names that searches may use
      def names
        AttributeNames.new(model, options)
      end

      # @return [String] a digest of everything that determines how records are made from this model
      def definition
        ModelDefinition.digest(model, options)
      end

      # @return [ActiveRecord::Relation] the records that may be indexed: default scopes apply, but `scope:` may undo
      #   them
      def relation
        found = model.default_scoped
        options.scope ? found.instance_exec(&options.scope) : found
      end

      # @param record [ActiveRecord::Base]
      # @return [Array<Hash{String=>Object}>] its records in the index; empty if `if:` or `unless:` excludes it
      def records(record)
        @maker.indexed?(record) ? @maker.records(record) : []
      end

      # @param record [ActiveRecord::Base]
      # @return [String] its text, as a question for similar records if it is not in the index
      def text(record)
        first = @maker.records(record).first
        "#{first["title"]} #{first["content"]}"[0, LONGEST_TEXT]
      end

      # Synchronize the index with the table for some records, after any change of them.
      #
      # @param ids [Enumerable<Object>] the ids of records; removed records are removed from the index
      # @return [void]
      # @raise [DocStoreError, EmbeddingError] the synchronization failed; it can be repeated without loss
      def sync(ids)
        collection.sync(ids.map(&:to_s).uniq)
        nil
      end

      # Rebuild the whole index next to the one that is searched, and replace that one at the end.
      #
      # @param progress [#call, nil] called after each batch with the number of stored records and the number of all
      # @param batch_size [Integer] the number of records that are read and embedded at once
      # @param promote [Boolean] whether the new index replaces the old one
      # @return [Object] the status of the collection
      # @raise [DocStoreError] another process is reindexing, or the store fails; a second call continues where it ended
      def reindex(progress: nil, batch_size: 256, promote: true, **unknown)
        Base::Validation.known("option of reindex", unknown.keys, %w[progress batch_size promote])
        batches = RecordBatches.new(self, batch_size)
        collection.reindex(batches.method(:after), total: batches.total, progress:, batch_size:, promote:)
      end

      # @return [Object] the status of the collection, which is created if it is missing
      def status
        collection.use(&:count)
        collection.status
      end

      # @param ids [Array<String>] the ids of records in the index
      # @return [Array<Hash{String=>Object}>] the stored ones of these records in the index
      def found(ids)
        rows(ids).flat_map { |row| records(row) }
      end

      # @param ids [Enumerable<Object>]
      # @return [Array<ActiveRecord::Base>] the records that may be indexed, read from the table
      def rows(ids)
        model.uncached { relation.where(model.primary_key => ids.to_a).to_a }
      end

      private

      def inspected
        { model: model.name, index: name }
      end
    end
  end
end
