# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Stores
    module OpenSearch
      # The layout of documents in an index made by this library, and the queries of such an index (OS-1).
      #
      # `body` contains the values as JSON text, so that the engine never parses their numbers. Token fields are stored
      # next to it, under names of the engine; the body repeats them only if the engine cannot store them exactly.
      # `packed` contains the vectors. Fields that the engine only indexes are not stored: `name` and `value`, the
      # fields that filters search, `zero`, `ranked`, and the vectors as numbers, which would be most of a document.
      class OwnLayout
        include Base::ShortInspect

        SCHEMA = 4
        # The earlier layouts: both store vectors as numbers, and the first has no field of all tokens. Their indexes
        # are read and written unchanged.
        EARLIER = [2, 3].freeze
        # The parts of a source that the engine indexes and does not store.
        INDEXED_ONLY = ["name", "value", "zero", OpenSearchRanked::RANKED, "v_*"].freeze
        MARK = "hybrid_search"
        # The token fields that records produce; others are added to the mapping when they first occur.
        TOKEN_FIELDS = %w[
          content_ltks content_sm_ltks content_id_ltks title_tks title_sm_tks title_id_tks
          important_tks important_id_tks question_tks question_id_tks
        ].freeze
        LONGEST_IDENTIFIER = 512
        MOST_FIELDS = 10_000
        LONGEST_TOKEN = 1_048_576
        PLAIN_NAME = /\A[A-Za-z0-9_]{1,64}\z/
        KEYWORD = { "type" => "keyword", "doc_values" => false }.freeze
        TEXT = { "type" => "text", "analyzer" => "blanks" }.freeze
        # The number of copies of a token in the bag for a weight of 1, so that half of it is a whole number.
        COPIES = 2
        # The weight of the bag's length, which is that of all fields together; so it is less than that of a field in
        # BM25F.
        BAG_B = 0.4
        SIMILARITY = { "type" => "BM25", "k1" => Snapshot::Bm25f::K1 * COPIES, "b" => BAG_B }.freeze
        # An index refuses documents with fields that it does not index, so that every stored vector can be found.
        STRICT = "strict"
        UNREAD = { "type" => "object", "enabled" => false }.freeze
        # The beginning of the name of a field alias that no other index has. With it a search can check that it reads
        # the same index as before, and not another one that was created under its name.
        IDENTITY = "index_"
        ANALYSIS = {
          "tokenizer" => {
            "blanks" => { "type" => "char_group", "tokenize_on_chars" => [" "], "max_token_length" => LONGEST_TOKEN }
          },
          "analyzer" => { "blanks" => { "type" => "custom", "tokenizer" => "blanks" } }
        }.freeze

        # Return the engine's name of a token field, which is never a path or a reserved name.
        #
        # @param field [String]
        # @return [String]
        def self.text_name(field)
          return field if field == TextQueries::BAG

          PLAIN_NAME.match?(field) ? "t_#{field}" : "t_#{Digest::SHA256.hexdigest(field)}_"
        end

        # @param field [String]
        # @return [String] the engine's name of a vector field
        def self.vector_name(field)
          "v_#{Documents::StoredDocument.vector_dimension("field", field)}"
        end

        # @return [Boolean] whether such an index is read-only
        def read_only
          false
        end

        # @return [OwnLeaves]
        def leaves
          OwnLeaves.new
        end

        # @return [Array<Hash>] the order by ids
        def order
          [{ "id" => "asc" }]
        end

        # @return [Hash] the options of a search that returns no stored fields
        def nothing_stored
          { "_source" => false, "stored_fields" => "_none_" }
        end

        # @param hit [Hash]
        # @return [String] the id of a found document: the last text of its sort values; Elasticsearch may add a number
        def identifier(hit)
          last = hit["sort"].last
          last.is_a?(::String) ? last : hit["sort"].grep(::String).last
        end

        # Return the settings and mappings of an index.
        #
        # @param engine [OpenSearchEngine] the engine of the cluster
        # @param shards [Integer] the number of shards
        # @param replicas [Integer] the number of replicas of each shard
        # @param name [String] the alias of the index; empty for an index that is still to be filled
        # @param meta [Hash] the metadata that is stored next to the documents
        # @param identity [String] the rest of the name of that alias; empty for the part that all indexes have in
        #   common
        # @return [Hash]
        def index(engine, shards, replicas, name, meta, identity = "")
          settings = engine.settings
          mapping = { "total_fields" => { "limit" => MOST_FIELDS }, **settings.fetch("mapping", {}) }
          index = { **settings, "number_of_shards" => shards, "number_of_replicas" => replicas, "mapping" => mapping,
                                "similarity" => { TextQueries::BAG => SIMILARITY } }
          mappings = { "dynamic" => STRICT, "_meta" => { MARK => { **meta, "schema" => SCHEMA } },
                       "_source" => { "excludes" => INDEXED_ONLY },
                       "properties" => { **first_properties, **identified(identity) } }
          made = { "settings" => { "index" => index, "analysis" => ANALYSIS }, "mappings" => mappings }
          name.empty? ? made : { **made, "aliases" => { name => {} } }
        end

        # @param properties [Hash] the fields of an index
        # @return [String, nil] the field that only this index has; nil if there is no such field, or several that were
        #   copied
        def identity(properties)
          found = properties.keys.select { |name| name.start_with?(IDENTITY) }
          found.size == 1 ? found[0] : nil
        end

        # Refuse an index with another layout.
        #
        # @param index [String] the name of the index, for the message
        # @param meta [Hash, nil] the metadata that is stored next to its documents
        # @return [void]
        def check(index, meta)
          own = meta[MARK] if meta.is_a?(::Hash)
          schema = own["schema"] if own.is_a?(::Hash)
          return if [SCHEMA, *EARLIER].include?(schema)

          what = schema.nil? ? "was not made by this library" : "has the layout #{Base::Validation.describe(schema)}"
          if schema.is_a?(::Integer)
            what += ", and this version of the library reads #{SCHEMA}; index its records again"
          end
          shown = Base::Validation.describe(index)
          raise DocStoreError, "the index #{shown} #{what}; ragflow_index reads one that RAGFlow made"
        end

        # @param identifiers [Array<String>]
        # @return [Array<String>] the ids that an index can contain, without repetitions
        def self.possible(identifiers)
          identifiers.uniq.select { |one| one.bytesize.between?(1, LONGEST_IDENTIFIER) }
        end

        # Refuse documents that no index of an engine can store, before any is stored.
        #
        # @param documents [Array<Documents::StoredDocument>]
        # @param engine [OpenSearchEngine]
        # @return [void]
        def accept(documents, engine)
          most = engine.most_components
          documents.each_with_index do |document, index|
            if document.identifier.bytesize > LONGEST_IDENTIFIER
              raise too_long("documents[#{index}].id", LONGEST_IDENTIFIER, "bytes", engine)
            end

            document.vectors.each do |field, vector|
              raise too_long("documents[#{index}].#{field}", most, "components", engine) if vector.size > most
            end
          end
        end

        # @param documents [Array<Documents::StoredDocument>]
        # @param engine [OpenSearchEngine]
        # @return [Hash{String=>Hash}] the fields that documents need, by their names in the index
        def properties(documents, engine)
          own = { "body" => UNREAD, "packed" => UNREAD, OpenSearchRanked::RANKED => OpenSearchRanked::RANKED_TYPE }
          documents.each_with_object(own) do |document, found|
            added = document.fields.keys.select { |field| token_field?(field) } - TOKEN_FIELDS
            added.each { |field| found[OwnLayout.text_name(field)] = TEXT }
            document.vectors.each_key do |field|
              dimension = Documents::StoredDocument.vector_dimension("field", field)
              found[OwnLayout.vector_name(field)] = engine.vector(dimension)
            end
          end
        end

        # @param document [Documents::StoredDocument]
        # @return [Hash{String=>Object}] the source of a document, as it is sent to the engine
        def source(document)
          held = Filters::ValueKeys.held(document)
          source = { "id" => document.identifier, "body" => "", "name" => held.names, "value" => held.terms }
          fields = document.fields.to_h { |field, value| [field, told(field, value, source)] }
          add_vectors(document.vectors, source)
          vectors = document.vectors.transform_values { nil }
          source["body"] = Documents::StoredJson.write({ "fields" => fields, "vectors" => vectors })
          source[OpenSearchRanked::RANKED] = OpenSearchRanked.pack(document)
          source
        end

        # Return the document of a stored source.
        #
        # @param identifier [String] its id
        # @param source [Hash] an output of {#source}, or the part of it that an index stores
        # @param vectors [Array<String>, nil] the vector fields to return; nil returns all
        # @return [Documents::StoredDocument]
        def document(identifier, source, vectors)
          body = Documents::StoredJson.read(source.fetch("body"))
          fields = body.fetch("fields").each_pair.to_h do |field, value|
            [field, value.nil? && token_field?(field) ? source.fetch(OwnLayout.text_name(field)) : value]
          end
          found = body.fetch("vectors")
          found = found.slice(*vectors) if vectors
          found = found.each_pair.to_h { |field, vector| [field, stored_vector(field, vector, source)] }
          Documents::StoredDocument.new(identifier, fields, found)
        rescue JSON::ParserError, KeyError, NoMethodError, TypeError, ArgumentError
          raise DocStoreError,
                "the document #{Base::Validation.describe(identifier)} of the index is not as this library writes it"
        end

        # @param field [String]
        # @param clause [Queries::QueryClauses::Clause]
        # @return [Hash] a query for the documents that contain a clause in a field, without its boost
        def matching(field, clause)
          if Documents::StoredDocument.keyword_field?(field)
            value = Filters::ValueKeys.value_key(field, ["text", clause.tokens.join(" ")])
            return { "term" => { "value" => { "value" => value } } }
          end
          name = OwnLayout.text_name(field)
          tokens = clause.tokens.map { |token| OpenSearchKeys.token(token) }
          return { "term" => { name => { "value" => tokens[0] } } } if tokens.size == 1

          slop = [clause.slop, TextQueries::LARGEST_SLOP].min
          { "match_phrase" => { name => { "query" => tokens.join(" "), "slop" => slop } } }
        end

        # @param field [String]
        # @return [Hash] a query for the documents whose vector in a field is zero
        def zero(field)
          { "term" => { "zero" => Filters::ValueKeys.name_key(field) } }
        end

        # @param field [String]
        # @return [String] the engine's name of a vector field
        def vector_name(field)
          OwnLayout.vector_name(field)
        end

        private

        def token_field?(field)
          Documents::StoredDocument.searchable?(field) && !Documents::StoredDocument.keyword_field?(field)
        end

        def first_properties
          { "id" => { "type" => "keyword" }, "body" => UNREAD, "packed" => UNREAD,
            "name" => KEYWORD, "value" => KEYWORD, "zero" => KEYWORD,
            OpenSearchRanked::RANKED => OpenSearchRanked::RANKED_TYPE,
            TextQueries::BAG => { **TEXT, "index_options" => "freqs", "similarity" => TextQueries::BAG },
            **TOKEN_FIELDS.to_h { |field| [OwnLayout.text_name(field), { **TEXT, **copied(field) }] } }
        end

        def identified(identity)
          identity.empty? ? {} : { "#{IDENTITY}#{identity}" => { "type" => "alias", "path" => "id" } }
        end

        # Return the part of a mapping that copies the tokens of a field into the bag, as often as its weight requires.
        def copied(field)
          weight = QueryBuilder::BM25F_FIELDS.to_h[field]
          weight ? { "copy_to" => [TextQueries::BAG] * (weight * COPIES).to_i } : {}
        end

        # Return the body's entry for a value: nil if the engine stores the value exactly.
        def told(field, value, source)
          return value unless token_field?(field)

          written = value.split(/ /, -1).map { |token| OpenSearchKeys.token(token) }.join(" ")
          source[OwnLayout.text_name(field)] = written
          written == value ? nil : value
        end

        def add_vectors(vectors, source)
          zero = []
          vectors.each do |field, vector|
            indexed = DenseQueries.scaled(vector)
            if indexed
              source[OwnLayout.vector_name(field)] = indexed
            else
              zero << Filters::ValueKeys.name_key(field)
            end
          end
          source["zero"] = zero unless zero.empty?
          source["packed"] = vectors.transform_values { |vector| OpenSearchVectors.pack(vector) } unless vectors.empty?
        end

        # Return a vector; in earlier layouts it is a list of numbers, which the body contains if the engine changes it.
        def stored_vector(field, vector, source)
          packed = source.fetch("packed", {})
          if packed.key?(field)
            dimension = Documents::StoredDocument.vector_dimension("field", field)
            return OpenSearchVectors.unpack(packed[field], dimension)
          end
          (vector || source.fetch(OwnLayout.vector_name(field))).map { |component| Float(component) }.freeze
        end

        def too_long(name, most, what, engine)
          InvalidInputError.new("#{name} must have at most #{most} #{what} in #{engine.name}")
        end
      end
    end
  end
end
