# frozen_string_literal: true

module HybridSearch
  module Stores
    # The origin of a field's vectors.
    VectorSource = ::Struct.new(:model, :origin) do
      # @!attribute [r] model
      #   @return [String, nil] the name of the model that made them; nil if it is not known
      # @!attribute [r] origin
      #   @return [String, nil] "index" if an index embedded them, "records" if records brought them, or "both"; nil if
      #     it is not known
    end

    # Checks which model made the vectors of a store, and whether an embedding fits them (DOC-7).
    module VectorModels
      INDEX = "index"
      RECORDS = "records"
      BOTH = "both"
      ORIGINS = [INDEX, RECORDS].freeze
      UNKNOWN = VectorSource.new(nil, nil).freeze
      private_constant :UNKNOWN

      module_function

      # @param stored [Hash{String=>VectorSource}] the sources that are stored now
      # @param field [String] a vector field
      # @param model [String, nil] the name of the model that makes its vectors; nil if it is not known
      # @param origin [String] "index" or "records"
      # @yieldparam field [String]
      # @yieldreturn [Boolean] whether the field has vectors
      # @return [VectorSource, nil] the source to store for the field from now on, nil if it stays the same
      # @raise [InvalidInputError] an argument is invalid, or the field has vectors and the stored model is another one
      def keep(stored, field, model, origin)
        Documents::StoredDocument.vector_dimension("field", Base::Validation.text("field", field))
        raise InvalidInputError, "model must not be empty" if model && Base::Validation.text("model", model).empty?

        Base::Validation.text("model", model) unless model.nil?
        Base::Validation.choice("origin", origin, ORIGINS)
        before = stored.fetch(field, UNKNOWN)
        given = VectorSource.new(model, origin)
        return nil if before == given
        return given unless yield(field)
        if !model.nil? && !before.model.nil? && before.model != model
          raise other_model_error(field, before.model, model)
        end

        after = VectorSource.new(before.model || model, joined(before.origin, origin))
        before == after ? nil : after
      end

      # @param counts [Hash{String=>Integer}] vector field → the number of documents that have it
      # @param stored [Hash{String=>VectorSource}] the stored sources of the vectors
      # @param documents [Integer] the number of all documents
      # @return [Hash{String=>Hash{String=>Object}}] the facts about each vector field in the form of
      #   {DocStoreAdapter#vector_fields}
      def described(counts, stored, documents)
        names = counts.select { |_, count| count.positive? }.keys | stored.keys
        names.sort.to_h do |name|
          count = counts.fetch(name, 0)
          source = stored.fetch(name, UNKNOWN)
          [name, { "dimension" => Documents::StoredDocument.vector_dimension(name, name), "count" => count,
                   "missing" => documents - count, "model" => source.model, "origin" => source.origin }]
        end
      end

      # Refuse an embedding that did not make the vectors it is compared with, as far as that is known.
      #
      # @param store [DocStoreAdapter] the store of the vectors
      # @param embedding [Embedding, nil] embeds questions; its dimension may not be known yet
      # @param any_vectors [Boolean] whether a store is accepted if all its vectors have another dimension
      # @param fields [Hash{String=>Hash{String=>Object}}, nil] the facts about the vector fields of the store; nil if
      #   the store has to be asked
      # @return [Array<String>] warnings about documents that a search cannot find by their vector, and about facts that
      #   cannot be checked
      # @raise [InvalidInputError] the store has vectors, and they are of another model or all have another dimension
      def check(store, embedding, any_vectors: false, fields: nil)
        fields ||= store.vector_fields
        return [] if fields.nil?

        held = fields.select { |_, told| told["count"].positive? }
        return without_embedding(held) if embedding.nil?
        return [] if embedding.dimension.nil?

        field = Documents::StoredFields.vector_field(embedding.dimension)
        raise other_dimension(held, embedding) unless held.empty? || held.key?(field) || any_vectors

        model = held.dig(field, "model")
        if !embedding.model.empty? && !model.nil? && model != embedding.model
          raise other_model_error(field, model, embedding.model)
        end

        unnamed(field, model, embedding) + missing(store, field, held)
      end

      # Refuse a vector that is compared with vectors of another dimension, as far as these are known.
      #
      # @param store [DocStoreAdapter] the store of the vectors
      # @param dimension [Integer] the number of components of the vector
      # @param any_vectors [Boolean] as for {.check}
      # @return [Array<String>] warnings about documents that a search cannot find by their vector
      # @raise [DimensionMismatchError] the store has vectors, and all of them have another dimension
      def check_vector(store, dimension, any_vectors: false)
        fields = store.vector_fields
        return [] if fields.nil?

        held = fields.select { |_, told| told["count"].positive? }
        field = Documents::StoredFields.vector_field(dimension)
        unless held.empty? || held.key?(field) || any_vectors
          dimensions = held.each_value.map { |told| told["dimension"] }.join(" or ")
          raise DimensionMismatchError,
                "vector must have #{dimensions} components, as those of the store, not #{dimension}"
        end

        missing(store, field, held)
      end

      # Store the origin of the vectors of documents, before the documents are stored.
      #
      # @param store [DocStoreAdapter] the store that will contain the documents
      # @param embedding [Embedding, nil] made the vectors that records did not bring
      # @param documents [Array<Hash{String=>Object}>] the documents that will be stored
      # @param brought [Array<Boolean>] for each document, whether its record brought the vector
      # @param any_vectors [Boolean] as for {.check}
      # @return [Array<Array(String, String, String)>] the claims of fields with both origins, for {claim_again} after
      #   the documents are stored
      # @raise [InvalidInputError] as {.check}; or the embedding has no name and would add to the vectors of a named
      #   model
      def claim(store, embedding, documents, brought, any_vectors: false)
        wanted = documents.zip(brought).flat_map do |document, own|
          fields = document.filter_map { |name, value| name if value && Documents::StoredDocument.vector_field?(name) }
          fields.map { |field| [field, own ? RECORDS : INDEX] }
        end.uniq
        check(store, embedding, any_vectors:) if wanted.any? { |_, origin| origin == INDEX }
        claims = wanted.map do |field, origin|
          model = model_of(field, embedding)
          refuse_unnamed(store, field) if origin == INDEX && model.nil?
          store.keep_vector_model(field, model, origin)
          [field, model, origin]
        end
        counts = claims.map(&:first).tally
        claims.select { |field, _, _| counts.fetch(field) > 1 }
      end

      # Store both origins of fields that had no vectors before, as origins add up only where there are vectors.
      #
      # @param store [DocStoreAdapter] the store that contains the documents now
      # @param claims [Array<Array(String, String, String)>] the result of {claim}
      # @return [void]
      def claim_again(store, claims)
        claims.each { |field, model, origin| store.keep_vector_model(field, model, origin) }
      end

      def joined(before, origin)
        before.nil? || before == origin ? origin : BOTH
      end
      private_class_method :joined

      # Return the embedding's model if it makes the vectors of this field, and nil otherwise.
      def model_of(field, embedding)
        return if embedding.nil? || embedding.dimension.nil? || embedding.model.empty?

        embedding.model if field == Documents::StoredFields.vector_field(embedding.dimension)
      end
      private_class_method :model_of

      def without_embedding(held)
        return [] if held.empty?

        shown = held.map do |name, told|
          "#{told["count"]} of #{told["count"] + told["missing"]} documents have a vector in " \
            "#{name}#{made_by(told["model"])}"
        end
        ["the text alone is searched, as there is no embedding: #{shown.join(", ")}"]
      end
      private_class_method :without_embedding

      def unnamed(field, model, embedding)
        return [] if model.nil? || !embedding.model.empty?

        ["the vectors of #{field} were made by the model #{Base::Validation.describe(model)}; the embedding has no " \
         "name, so whether it is that model is not checked: state its model"]
      end
      private_class_method :unnamed

      # Return a warning if documents lack the vector field of the query.
      def missing(store, field, held)
        told = held[field]
        count = told ? told["count"] : 0
        missing = told ? told["missing"] : store.count
        return [] unless missing.positive?

        ["the text alone of #{missing} of #{count + missing} documents is searched: they have no vector in #{field}"]
      end
      private_class_method :missing

      def refuse_unnamed(store, field)
        told = (store.vector_fields || {})[field]
        return if told.nil? || told["count"].zero? || told["model"].nil?

        raise InvalidInputError,
              "the vectors of #{field} were made by the model #{Base::Validation.describe(told["model"])}, and an " \
              "embedding without a name adds none to them: state its model"
      end
      private_class_method :refuse_unnamed

      def made_by(model)
        model.nil? ? "" : " by the model #{Base::Validation.describe(model)}"
      end
      private_class_method :made_by

      def other_model_error(field, before, model)
        InvalidInputError.new(
          "the vectors of #{field} were made by the model #{Base::Validation.describe(before)}, not by " \
          "#{Base::Validation.describe(model)}: use that model, or fill an empty store"
        )
      end
      private_class_method :other_model_error

      def other_dimension(held, embedding)
        shown = held.values.map { |told| "#{told["dimension"]} components#{made_by(told["model"])}" }.join(" and ")
        model = embedding.model.empty? ? nil : embedding.model
        InvalidInputError.new(
          "the vectors of the store have #{shown}, not #{embedding.dimension}#{made_by(model)} as the embedding's: " \
          "use the embedding that made them, or fill an empty store"
        )
      end
      private_class_method :other_dimension
    end
  end
end
