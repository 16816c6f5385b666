# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # Adds scores that documents themselves carry (RNK-5): page rank + 10 · cosine(query tags, document tags).
    module RankFeatures
      PAGE_RANK_FIELD = "pagerank_fea"
      TAG_FIELD = "tag_feas"
      TAG_FACTOR = 10.0
      NO_TAGS = {}.freeze
      private_constant :NO_TAGS

      module_function

      # @param result [AdapterKit::SearchResult] the documents; their fields `pagerank_fea` and `tag_feas` are read
      # @param rank_feature [Hash{String=>Float}, nil] the query's tags, name → finite number; a `pagerank_fea` among
      #   them is ignored. With nil, or without tags, only the page rank counts
      # @param reader [Stores::Documents::StoredFields] collects unusable values
      # @return [Array<Float>] the rank features of the documents, in the order of `result.ids`
      # @raise [InvalidInputError] `rank_feature` is not an object of finite numbers
      def scores(result, rank_feature, reader = Stores::Documents::StoredFields.new)
        query = query_tags(rank_feature)
        norm = Math.sqrt(Base::Numeric.sum_left(query.each_value.map { |value| value * value }))
        usable = !norm.zero? && norm.finite?
        result.ids.map do |identifier|
          fields = result.fields_of(identifier)
          tags = usable ? document_tags(identifier, fields, reader) : NO_TAGS
          page_rank = reader.number(identifier, fields, PAGE_RANK_FIELD, 0.0)
          (tags.empty? ? 0.0 : tag_score(query, norm, tags)) + page_rank
        end
      end

      # @return [Hash{String=>Float}] the query's tags without `pagerank_fea`, checked
      def query_tags(rank_feature)
        return {} if rank_feature.nil?

        given = Base::Validation.mapping("rank_feature", rank_feature).reject { |name, _| name == PAGE_RANK_FIELD }
        given.to_h do |name, value|
          [name, Base::Validation.number("rank_feature[#{Base::Validation.describe(name)}]", value)]
        end
      end

      # Return a document's tags, from an object or strict JSON text of one.
      #
      # Keys are stripped. If a key is repeated, the last value counts, at the position of the first. An entry with a
      # blank key, or a value that is not a finite number, is dropped without the others.
      #
      # @return [Hash{String=>Float}, nil] nil if the value is neither
      def tags(value)
        text = readable(value)
        source = text ? Base::StrictJson.parse_object(text) : value
        return nil unless source.is_a?(::Hash)

        source.each_with_object({}) do |(name, number), tags|
          key = Base::Characters.strip(readable(name) || "")
          value = finite(number)
          tags[key] = value if value && !key.empty?
        end
      end

      def document_tags(identifier, fields, reader)
        value = fields[TAG_FIELD]
        return NO_TAGS if value.nil? || value == ""

        tags = tags(value)
        reader.reject(identifier, TAG_FIELD, "an object of numbers") unless tags
        tags || NO_TAGS
      end
      private_class_method :document_tags

      def tag_score(query, query_norm, tags)
        common = 0.0
        square = 0.0
        tags.each do |name, value|
          weight = query[name]
          common += weight * value if weight
          square += value * value
        end
        norm = Math.sqrt(square)
        return 0.0 if norm.zero? || !norm.finite?

        common / norm / query_norm * TAG_FACTOR
      end
      private_class_method :tag_score

      # @return [String, nil] the text in UTF-8, nil if the value is not a text or not valid
      def readable(value)
        value.is_a?(::String) ? Base::Validation.text("text", value) : nil
      rescue InvalidInputError
        nil
      end
      private_class_method :readable

      # @return [Float, nil] nil if it is not a finite number
      def finite(value)
        Base::Validation.number("a tag", value)
      rescue InvalidInputError
        nil
      end
      private_class_method :finite
    end
  end
end
