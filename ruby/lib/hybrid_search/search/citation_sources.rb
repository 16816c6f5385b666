# frozen_string_literal: true

module HybridSearch
  module Search
    # One text that an answer may cite.
    class CitationSource
      include Base::Value

      # @return [Integer] its place among the hits, from 1
      attr_reader :number
      # @return [String] its id
      attr_reader :id
      # @return [String] its text
      attr_reader :content
      # @return [Hash{String=>Object}, nil] its stored fields, nil if it is not stored
      attr_reader :document

      # @param number [Integer]
      # @param id [String]
      # @param content [String]
      # @param document [Hash{String=>Object}, nil]
      def initialize(number, id, content, document)
        @number = number
        @id = id
        @content = content
        @document = document
        freeze
      end

      # @param dimension [Integer]
      # @return [Array<Float>, nil] its stored vector of a dimension, nil without one
      def vector(dimension)
        return nil if document.nil?

        name = Stores::Documents::StoredFields.vector_field(dimension)
        Stores::Documents::StoredFields.new.vector(id, document, name, dimension)
      end
    end

    # Finds the texts that an answer may cite: hits, records or ids (CIT-2).
    module CitationSources
      # The maximum number of hits that an answer may cite.
      MOST = 50
      ACCEPTED = "a hit, an object with id and content, or the id of a stored document"

      module_function

      # @param store [DocStoreAdapter] the documents
      # @param hits [Page, Array<Hit, Hash, String, Integer>] a page, or a list of hits, objects and ids
      # @param with_vectors [Boolean] whether vectors are needed
      # @return [Array<CitationSource>] the sources of the hits, each id once
      # @raise [InvalidInputError] `hits` is something else, too long, or an id has neither a text nor a document
      def citation_sources(store, hits, with_vectors)
        unless hits.is_a?(::Array) || hits.is_a?(Page)
          raise Base::Validation.failure("hits", hits, "a page or a list of hits, records or ids")
        end

        listed = hits.to_a
        raise InvalidInputError, "hits must be at most #{MOST}, not #{listed.size}" if listed.size > MOST

        given = listed.each_with_index.map { |hit, place| given("hits[#{place}]", hit) }
        documents = documents(store, given.filter_map { |id, text| id if with_vectors || text.nil? })
        found = {}
        given.each_with_index do |(id, text), place|
          found[id] ||= CitationSource.new(place + 1, id, content(place, id, text, documents[id]), documents[id])
        end
        found.values
      end

      # Return the vector of each source: the stored one, or that of its text.
      #
      # @param sources [Array<CitationSource>]
      # @param readable [Array<Boolean>] whether each has tokens; a text without tokens has no vector
      # @param embedding [Embedding] makes the vectors of texts
      # @param dimension [Integer] the number of components
      # @return [Array<Array<Float>, nil>]
      def source_vectors(sources, readable, embedding, dimension)
        vectors = sources.map { |source| source.vector(dimension) }
        missing = vectors.each_index.select { |place| vectors[place].nil? && readable[place] }
        made = embedding.encode(missing.map { |place| sources[place].content })
        missing.zip(made) { |place, vector| vectors[place] = vector }
        vectors
      end

      def content(place, id, text, document)
        return text unless text.nil?
        raise Base::Validation.failure("hits[#{place}]", id, ACCEPTED) if document.nil?

        Records::RecordOf.record(document)["content"]
      end
      private_class_method :content

      # Return the id of a hit, and its text; no text if only the id is given.
      def given(name, hit)
        return [hit.id, hit.content] if hit.is_a?(Hit)

        unless hit.is_a?(::Hash)
          case hit
          when ::String, ::Symbol, ::Integer then return [Base::InputValues.identifier(name, hit), nil]
          else raise Base::Validation.failure(name, hit, ACCEPTED)
          end
        end
        hit = hit.transform_keys(&:to_s)
        raise InvalidInputError, "#{name} has no id" unless hit.key?("id")

        id = Base::InputValues.identifier(Base::Validation.member(name, "id"), hit["id"])
        text = hit["content"]
        [id, text.nil? ? nil : Base::Validation.text(Base::Validation.member(name, "content"), text)]
      end
      private_class_method :given

      def documents(store, identifiers)
        wanted = identifiers.uniq
        wanted.empty? ? {} : wanted.zip(store.get_many(wanted, nil)).to_h.compact
      end
      private_class_method :documents
    end
  end
end
