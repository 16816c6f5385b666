# frozen_string_literal: true

module HybridSearch
  module Records
    # Applies records with changes to stored documents (IDX-5). Computes again only the fields that depend on the
    # changed keys.
    class RecordChanges
      include Base::ShortInspect

      # @param fields [RecordFields]
      # @param vectors [RecordVectors]
      def initialize(fields, vectors)
        @fields = fields
        @vectors = vectors
      end

      # Return the id and the changed fields of each record, nil for those to remove, for a store's `update`.
      #
      # @param records [Array<Hash>] an id, and the keys that change; nil removes a key
      # @param stored [#call] returns the stored document of an id, or nil
      # @param first [Integer] the place of the first record in its source, for messages
      # @return [Array<Hash{String=>Object}>]
      # @raise [InvalidInputError] a record is not acceptable, its id is not stored or is given twice, or it changes the
      #   text of a vector that cannot be computed again
      # @raise [DimensionMismatchError] a vector of another dimension than the embedding's
      def made_of(records, stored, first)
        places = Array.new(records.size) { |index| "records[#{first + index}]" }
        given = places.zip(records).map { |place, record| RecordValues.change(place, record) }
        check_ids(places, given)
        changes = places.zip(given).map { |place, values| RecordChange.of(place, values, stored) }
        documents = changes.map { |change| @fields.made_of(change.given.keys, change.after) }
        @vectors.check(given, first)
        add_vectors(changes, documents)
        @vectors.check(given, first)
        documents
      end

      # One record that changes a stored document.
      class RecordChange
        include Base::ShortInspect

        # @return [String] the name of the record in messages
        attr_reader :place
        # @return [Hash{String=>Object}] the values of the record, nil for keys to remove
        attr_reader :given
        # @return [Hash{String=>Object}] the texts and names in the stored document
        attr_reader :before
        # @return [Hash{String=>Object}] the same after the change, with the other given values
        attr_reader :after
        # @return [Array<String>] the stored fields that contain vectors
        attr_reader :vector_fields

        # @raise [InvalidInputError] no document of its id is stored
        def self.of(place, given, stored)
          document = stored.call(given["id"])
          return new(place, given, document) if document

          raise InvalidInputError,
                "#{place}.id #{Base::Validation.describe(given["id"])} is not stored; use add or upsert"
        end

        def initialize(place, given, document)
          @place = place
          @given = given
          @before = RecordOf.texts_of(document)
          @after = @before.merge(given).compact
          @vector_fields = RecordVectors.fields_of(document)
        end
      end
      private_constant :RecordChange

      private

      def add_vectors(changes, documents)
        outdated = changes.map { |change| outdated?(change) }
        made = @vectors.made_of(changes.zip(outdated).filter_map { |change, old| change.after if old })
        changes.zip(outdated, documents) do |change, old, document|
          next unless old || change.given.key?("vector")

          vector = old ? made.shift : change.given["vector"]
          change.vector_fields.each { |field| document[field] = nil }
          document[RecordVectors.field(vector)] = vector if vector
        end
      end

      # Return whether the vector has to be computed again, or removed if nothing can compute it.
      def outdated?(change)
        return change.given["vector"].nil? if change.given.key?("vector")
        if @vectors.texts(change.after) == @vectors.texts(change.before)
          return change.vector_fields.empty? && (change.given.key?("content") || change.given.key?("title"))
        end
        return true if change.vector_fields.empty? || @vectors.makes?

        raise InvalidInputError, "#{change.place}.vector must be given, or null to remove the stored one: " \
                                 "it belongs to another text, and there is no embedding to make a new one"
      end

      def check_ids(places, given)
        seen = {}
        places.zip(given) do |place, values|
          identifier = values["id"]
          if seen.key?(identifier)
            raise InvalidInputError, "#{place}.id #{Base::Validation.describe(identifier)} is given twice"
          end

          seen[identifier] = true
        end
      end
    end
  end
end
