# frozen_string_literal: true

module HybridSearch
  module PostProcessors
    # The weights of a weighted score (DFY-2, DFY-7): finite, none negative, not both zero; they need not add up to 1.
    class ScoreWeights
      include Base::ShortInspect
      include Base::Value::ToJson

      KEYS = %w[vector_setting keyword_setting weight_type].freeze
      VECTOR_KEYS = %w[vector_weight embedding_provider_name embedding_model_name].freeze
      KEYWORD_KEYS = %w[keyword_weight].freeze

      # @return [Float] the weight of the vector score
      attr_reader :vector_weight
      # @return [Float] the weight of the keyword score
      attr_reader :keyword_weight

      # @param value [Object] an object in Dify's form, or "0.3,0.7" or a list of vector and keyword weight
      # @param name [String] the argument's name, for messages
      # @return [ScoreWeights]
      # @raise [InvalidInputError] any other value
      # @raise [ConfigurationError] an object without a weight
      def self.parse(value, name = "weights")
        case value
        when ScoreWeights then value
        when ::Hash then from_dify(value, name)
        else new(*Fusions::Weights.parse(value, 2, name))
        end
      end

      # @param value [Object] Dify's `{vector_setting: {vector_weight}, keyword_setting: {keyword_weight}}`
      # @param name [String]
      # @return [ScoreWeights]
      # @raise [InvalidInputError] another form, an unknown key, a weight that is not a number or negative, both zero
      # @raise [ConfigurationError] a weight is missing
      def self.from_dify(value, name = "weights")
        given = Base::Validation.mapping(name, value)
        Base::Validation.known("key of #{name}", given.keys, KEYS)
        vector = weight(name, given, "vector_setting", VECTOR_KEYS)
        keyword = weight(name, given, "keyword_setting", KEYWORD_KEYS)
        raise InvalidInputError, "#{name} must not both be 0" if vector.zero? && keyword.zero?

        new(vector, keyword)
      end

      def self.weight(name, given, setting, keys)
        place = "#{name}.#{setting}"
        raise ConfigurationError, "#{name} has no #{setting}" if given[setting].nil?

        found = Base::Validation.mapping(place, given[setting])
        Base::Validation.known("key of #{place}", found.keys, keys)
        raise ConfigurationError, "#{place} has no #{keys[0]}" if found[keys[0]].nil?

        Base::Validation.number("#{place}.#{keys[0]}", found[keys[0]], 0)
      end
      private_class_method :weight

      # @param vector_weight [Float]
      # @param keyword_weight [Float]
      def initialize(vector_weight, keyword_weight)
        @vector_weight = vector_weight
        @keyword_weight = keyword_weight
        freeze
      end

      # @return [Hash{String=>Object}] the weights in Dify's form
      def to_h
        {
          "vector_setting" => { "vector_weight" => vector_weight },
          "keyword_setting" => { "keyword_weight" => keyword_weight }
        }
      end
    end

    # Combines vector and keyword scores (DFY-2).
    module WeightedScore
      module_function

      # @param documents [Array<Document>] the whole collection
      # @param keywords [KeywordScores] the keywords of the query and of these documents
      # @param weights [ScoreWeights] the weight of each part
      # @param query_vector [Array<Float>, nil] compared with the vector of a document that has neither `vector_score`
      #   nor `score`; of the length of those vectors
      # @return [Array<Document>] copies with `score` = vector_weight · vector + keyword_weight · keyword, in the given
      #   order; they also have both parts, `vector_score` and `keyword_score`, and their `keywords`
      # @raise [InvalidInputError] a score is not finite
      def score(documents, keywords, weights, query_vector = nil)
        documents.each_with_index.map do |document, index|
          keyword = keywords.scores[index]
          vector = vector_score(document, query_vector)
          document.with_metadata(
            "score" => weighted(document, weights, vector, keyword), "vector_score" => vector,
            "keyword_score" => keyword, "keywords" => keywords.document_keywords[index].dup
          )
        end
      end

      def weighted(document, weights, vector, keyword)
        score = (weights.vector_weight * vector) + (weights.keyword_weight * keyword)
        return score if score.finite?

        shown = Base::Validation.describe(document.doc_id)
        raise InvalidInputError, "the weighted score of the document #{shown} is not finite"
      end
      private_class_method :weighted

      # Return the vector score, else the score (as Dify does), else the cosine of the vectors, else 0.0.
      def vector_score(document, query_vector)
        given = document.number("vector_score") || document.number("score")
        return given if given

        vector = document.vector
        return 0.0 if query_vector.nil? || vector.nil?

        Base::Numeric.cosine(query_vector, vector.map(&:to_f))
      end
      private_class_method :vector_score
    end
  end
end
