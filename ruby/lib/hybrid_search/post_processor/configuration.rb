# frozen_string_literal: true

module HybridSearch
  # Dify's retrieval settings, as it stores and sends them, parsed and checked (DFY-7).
  class RetrievalConfiguration
    include Base::ShortInspect
    include Base::Value::ToJson

    SEARCH_METHODS = %w[semantic_search full_text_search hybrid_search keyword_search].freeze
    DEFAULT_TOP_K = 4
    NO_WEIGHTS = "reranking_mode weighted_score needs weights"
    NO_MODEL = "reranking_mode reranking_model needs a reranking_model with reranking_model_name"
    CONDITIONS = "metadata_filtering_conditions"
    MODE_OF_CONDITIONS = "metadata_filtering_mode"
    MODES_OF_CONDITIONS = %w[disabled automatic manual].freeze
    private_constant :NO_WEIGHTS, :NO_MODEL, :CONDITIONS, :MODE_OF_CONDITIONS, :MODES_OF_CONDITIONS

    # @return [String] one of {SEARCH_METHODS}
    attr_reader :search_method
    # @return [Boolean] whether documents are reranked
    attr_reader :reranking_enable
    # @return [String] the way of reranking, "weighted_score" or "reranking_model"
    attr_reader :reranking_mode
    # @return [String, nil] the name of the model
    attr_reader :reranking_model
    # @return [PostProcessors::ScoreWeights, nil]
    attr_reader :weights
    # @return [Integer] the number of wanted documents, at least 1
    attr_reader :top_k
    # @return [Float, nil] the lowest score shown, nil if it is not set or switched off
    attr_reader :score_threshold
    # @return [Hash{String=>Object}, nil] the conditions on metadata, nil without conditions, or if their mode is not
    #   manual
    attr_reader :metadata_filtering_conditions
    # @return [Hash{String=>Object}] the equivalent filters (DFY-8)
    attr_reader :filters

    # Return the settings of Dify's object or its JSON text. nil counts as missing; so does a `top_k` of 0, which Dify
    # treats as not set. A model with an empty name reranks nothing.
    #
    # @param value [Hash, String, RetrievalConfiguration, nil]
    # @param options [Hash, nil] settings that replace those of `value`; nil sets the default, and a `top_k` of 0 is
    #   refused here
    # @return [RetrievalConfiguration]
    # @raise [InvalidInputError] not such an object, an unknown key (the message names the nearest), or a value that is
    #   not acceptable; numbers as texts are not
    # @raise [ConfigurationError] weights without a part, or reranking switched on without its weights or its model's
    #   name
    def self.parse(value, options = nil)
      options = {} if options.nil?
      if RetrievalConfiguration === value && options == {} # rubocop:disable Style/CaseEquality -- any object may come
        return value
      end

      given = settings(value)
      replaced = PostProcessors::DifySettings.read("settings", options)
      names = options.keys.map(&:to_s)
      names = names.map { |name| name == PostProcessors::DifySettings::ENABLED ? "reranking_enable" : name }
      parsed = new(given.except(*names).merge(replaced))
      parsed.check_reranking if parsed.reranking_enable
      parsed
    end

    # Return the unchecked settings by name of an object, its JSON text, checked settings or nil.
    def self.settings(value)
      case value
      when RetrievalConfiguration then return value.to_h.except("score_threshold_enabled").compact
      when nil then return {}
      when ::String
        value = Base::StrictJson.parse_object(Base::Validation.text("configuration", value)) ||
                raise(InvalidInputError, "configuration must be an object or the strict JSON text of one")
      end
      found = PostProcessors::DifySettings.read("configuration", value)
      0.eql?(found["top_k"]) ? found.except("top_k") : found
    end
    private_class_method :settings

    # @param given [Hash{String=>Object}] settings without nil
    # @api private
    def initialize(given)
      @score_threshold = checked_threshold(given)
      @search_method =
        Base::Validation.choice("search_method", given.fetch("search_method", SEARCH_METHODS[0]), SEARCH_METHODS)
      @reranking_enable = Base::Validation.boolean("reranking_enable", given.fetch("reranking_enable", false))
      @reranking_mode = Base::Validation.choice(
        "reranking_mode", given.fetch("reranking_mode", PostProcessors::DifySettings::MODEL),
        PostProcessors::DifySettings::MODES
      )
      @reranking_model = PostProcessors::DifySettings.model_name(given["reranking_model"])
      @reranking_enable = false if names_no_model?(given) # as in Dify
      @weights = given.key?("weights") ? PostProcessors::ScoreWeights.from_dify(given["weights"]) : nil
      @top_k = Base::Validation.integer("top_k", given.fetch("top_k", DEFAULT_TOP_K), 1)
      @metadata_filtering_conditions, @filters = conditions_of(given)
      freeze
    end

    # @return [Boolean] whether documents are reranked. They are if reranking is switched on. As in Dify, they also are
    #   if a hybrid search has weights in the mode weighted_score, since its interface writes those with
    #   `reranking_enable` false
    def reranks?
      weighted = reranking_mode == PostProcessors::DifySettings::WEIGHTED && !weights.nil?
      reranking_enable || (weighted && search_method == "hybrid_search")
    end

    # Refuse a mode without the settings it needs.
    #
    # @return [void]
    # @raise [ConfigurationError] weighted_score without weights, reranking_model without the model's name
    def check_reranking
      modes = PostProcessors::DifySettings
      raise ConfigurationError, NO_WEIGHTS if reranking_mode == modes::WEIGHTED && weights.nil?
      raise ConfigurationError, NO_MODEL if reranking_mode == modes::MODEL && reranking_model.nil?
    end

    # @param models [Hash{String=>Object}, nil]
    # @return [Object] the model of this name
    # @raise [ConfigurationError] no name is set, or no model has it
    # @raise [InvalidInputError] `models` is not an object
    def model(models)
      known = Base::Validation.mapping("models", models.nil? ? {} : models)
      raise ConfigurationError, NO_MODEL if reranking_model.nil?

      known.fetch(reranking_model) { raise unknown_model(known.keys) }
    end

    # @return [Hash{String=>Object}] the settings in Dify's form
    def to_h
      {
        "search_method" => search_method,
        "reranking_enable" => reranking_enable,
        "reranking_mode" => reranking_mode,
        "reranking_model" => reranking_model.nil? ? nil : { "reranking_model_name" => reranking_model },
        "weights" => weights&.to_h,
        "top_k" => top_k,
        "score_threshold_enabled" => !score_threshold.nil?,
        "score_threshold" => score_threshold
      }.merge(metadata_filtering_conditions ? { CONDITIONS => metadata_filtering_conditions } : {})
    end

    private

    def names_no_model?(given)
      reranking_mode == PostProcessors::DifySettings::MODEL &&
        PostProcessors::DifySettings.names_no_model?(given["reranking_model"])
    end

    def unknown_model(names)
      if names.empty?
        shown = Base::Validation.describe(reranking_model)
        return ConfigurationError.new("unknown reranking model #{shown}: there are no models")
      end

      Base::Validation.known("reranking model", [reranking_model], names)
    rescue InvalidInputError => e
      ConfigurationError.new(e.message)
    end

    # Return the active conditions and their filters. In the mode automatic, Dify's model would write conditions.
    def conditions_of(given)
      mode = Base::Validation.choice(MODE_OF_CONDITIONS, given.fetch(MODE_OF_CONDITIONS, "manual"), MODES_OF_CONDITIONS)
      conditions = given[CONDITIONS]
      return [nil, {}.freeze] if mode != "manual" || conditions.nil?

      filters = MetadataConditions.filters(conditions, CONDITIONS)
      [Base::Validation.mapping(CONDITIONS, conditions), filters]
    end

    def checked_threshold(given)
      threshold = nil
      threshold = Base::Validation.number("score_threshold", given["score_threshold"]) if given.key?("score_threshold")
      enabled = Base::Validation.boolean("score_threshold_enabled", given.fetch("score_threshold_enabled", true))
      enabled ? threshold : nil
    end
  end
end
