# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module OpenSearch
      # The parts of documents that a rerank needs, as doc values, so that an engine reads no whole documents for it
      # (OS-11).
      #
      # The field `ranked` of a document is one line of JSON with the fields and the lengths of the vectors, followed by
      # the vectors as {OpenSearchVectors} packs them. Blanks end the line so that the base64 of the whole needs no
      # padding.
      class OpenSearchRanked
        include Base::ShortInspect

        RANKED = "ranked"
        RANKED_TYPE = { "type" => "binary", "doc_values" => true }.freeze
        # The fields that a rerank reads (RNK-1, RNK-2, RNK-5).
        RANKED_FIELDS = %w[content_ltks title_tks important_kwd question_tks pagerank_fea tag_feas].freeze

        class << self
          # @param document [Documents::StoredDocument]
          # @return [String] the parts of a document that a rerank needs, in base64
          def pack(document)
            fields = document.fields.select { |name, _| RANKED_FIELDS.include?(name) }
            vectors = document.vectors.transform_values { |vector| OpenSearchVectors.binary(vector) }
            lengths = vectors.transform_values(&:bytesize)
            line = Documents::StoredJson.write({ "fields" => fields, "vectors" => lengths }).b
            packed = "\n".b + vectors.values.join
            blanks = " " * (-(line.bytesize + packed.bytesize) % 3) # not every engine returns the padding of base64
            [line + blanks + packed].pack("m0")
          end

          # @param identifier [String] the id of a document
          # @param text [String] an output of {pack}
          # @param dimensions [Hash{String=>Integer}] the vector fields to return, with the number of components of each
          # @return [Documents::StoredDocument] the fields and some vectors of the document
          # @raise [DocStoreError] the text is not an output of {pack}
          def unpack(identifier, text, dimensions)
            line, packed = text.unpack1("m0").split("\n", 2)
            told = Documents::StoredJson.read(line.force_encoding(Encoding::UTF_8))
            found = numbers(told.fetch("vectors"), packed, dimensions)
            Documents::StoredDocument.new(identifier, told.fetch("fields").to_hash, found)
          rescue JSON::ParserError, KeyError, NoMethodError, TypeError, ArgumentError
            raise DocStoreError,
                  "the document #{Base::Validation.describe(identifier)} of the index is not as this library writes it"
          end

          private

          def numbers(lengths, packed, dimensions)
            start = 0
            lengths.each_with_object({}) do |(name, length), found|
              dimension = dimensions[name]
              found[name] = OpenSearchVectors.numbers(packed.byteslice(start, length), dimension) if dimension
              start += length
            end
          end
        end

        # @param client [OpenSearchClient] sends requests to the cluster
        # @param index [String] the path of the index or of its alias
        # @param most [Integer] the maximum number of documents in one response of the engine
        # @yieldparam name [String]
        # @yieldreturn [Boolean] whether the index has a field
        def initialize(client, index, most, &has)
          @client = client
          @index = index
          @most = most
          @has = has
        end

        # Return those of the documents that a search finds, with the needed fields at least.
        #
        # The result is empty if the index has no such field, or if fields other than those of a rerank are needed.
        # Documents that an earlier version has written are missing.
        #
        # @param identifiers [Array<String>] the ids
        # @param needed [Array<String>] the names of the fields and vector fields, each once
        # @return [Hash{String=>Documents::StoredDocument}]
        def read(identifiers, needed)
          vectors = needed.select { |name| Documents::StoredDocument.vector_field?(name) }
          return {} unless (needed - vectors - RANKED_FIELDS).empty? && @has.call(RANKED)

          dimensions = vectors.to_h { |name| [name, Documents::StoredDocument.vector_dimension("field", name)] }
          identifiers.each_slice(@most).with_object({}) do |part, found|
            answer = @client.search([OpenSearchClient::EngineSearch.new(@index, body(part))])[0]
            answer["hits"]["hits"].each do |hit|
              values = hit.fetch("fields", {})
              next unless values.key?(RANKED)

              identifier = values["id"][0]
              found[identifier] = OpenSearchRanked.unpack(identifier, values[RANKED][0], dimensions)
            end
          end
        end

        private

        # Return a search for documents by their ids, in no order.
        def body(identifiers)
          {
            "query" => { "bool" => { "filter" => [{ "terms" => { "id" => identifiers } }] } },
            "size" => identifiers.size,
            "_source" => false,
            "stored_fields" => "_none_",
            "docvalue_fields" => ["id", RANKED],
            "track_total_hits" => false
          }
        end
      end
    end
  end
end
