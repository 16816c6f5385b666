# frozen_string_literal: true

module HybridSearch
  # The weights of a weighted score (DFY-2, DFY-7): finite, none negative, not both zero; they need not add up to 1.
  class ScoreWeights
    include ShortInspect

    KEYS = %w[vector_setting keyword_setting weight_type].freeze
    VECTOR_KEYS = %w[vector_weight embedding_provider_name embedding_model_name].freeze
    KEYWORD_KEYS = %w[keyword_weight].freeze

    # @return [Float] what the vector score counts
    attr_reader :vector_weight
    # @return [Float] what the keyword score counts
    attr_reader :keyword_weight

    # @param value [Object] an object in Dify's form, or "0.3,0.7" or a list of vector and keyword weight
    # @param name [String] the argument's name, for messages
    # @return [ScoreWeights]
    # @raise [InvalidInputError] anything else
    # @raise [ConfigurationError] an object without a weight
    def self.parse(value, name = "weights")
      case value
      when ScoreWeights then value
      when ::Hash then from_dify(value, name)
      else new(*Weights.parse(value, 2, name))
      end
    end

    # @param value [Object] Dify's `{vector_setting: {vector_weight}, keyword_setting: {keyword_weight}}`
    # @param name [String]
    # @return [ScoreWeights]
    # @raise [InvalidInputError] another form, an unknown key, a weight that is not a number or negative, both zero
    # @raise [ConfigurationError] a weight is missing
    def self.from_dify(value, name = "weights")
      given = Validation.mapping(name, value)
      Validation.known("key of #{name}", given.keys, KEYS)
      vector = weight(name, given, "vector_setting", VECTOR_KEYS)
      keyword = weight(name, given, "keyword_setting", KEYWORD_KEYS)
      raise InvalidInputError, "#{name} must not both be 0" if vector.zero? && keyword.zero?

      new(vector, keyword)
    end

    def self.weight(name, given, setting, keys)
      place = "#{name}.#{setting}"
      raise ConfigurationError, "#{name} has no #{setting}" if given[setting].nil?

      found = Validation.mapping(place, given[setting])
      Validation.known("key of #{place}", found.keys, keys)
      raise ConfigurationError, "#{place} has no #{keys[0]}" if found[keys[0]].nil?

      Validation.number("#{place}.#{keys[0]}", found[keys[0]], 0)
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
end
