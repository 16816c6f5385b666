# frozen_string_literal: true

module HybridSearch
  module PostProcessors
    # Reads settings as Dify's knowledge bases, apps, workflow nodes and API write them, under one name each, however
    # they are spelled and nested (DFY-7).
    module DifySettings
      # Dify's modes of reranking (DFY-1).
      WEIGHTED = "weighted_score"
      MODEL = "reranking_model"
      MODES = [WEIGHTED, MODEL].freeze

      SETTINGS = %w[
        search_method reranking_enable reranking_mode reranking_model weights top_k score_threshold_enabled
        score_threshold metadata_filtering_mode metadata_filtering_conditions
      ].freeze
      # How the settings of apps spell `reranking_enable`.
      ENABLED = "reranking_enabled"
      # Where the knowledge node of a workflow keeps its settings.
      NODE = "multiple_retrieval_config"
      # Objects that hold settings; the first that is there counts.
      NESTED = ["retrieval_model", NODE, "external_retrieval_model", "retrieval_setting"].freeze
      IGNORED = %w[
        metadata_model_config retrieval_mode single_retrieval_config dataset_ids datasets
      ].freeze
      OTHER_NAMES = [ENABLED, *NESTED, *IGNORED].freeze
      INNER_NAMES = [*SETTINGS, ENABLED, *IGNORED].freeze
      SEARCH_METHODS = { "fulltext_search" => "full_text_search", "invertedIndex" => "keyword_search" }.freeze
      MODEL_KEYS = %w[reranking_provider_name reranking_model_name provider model].freeze
      NAME_KEYS = %w[reranking_model_name model].freeze

      module_function

      # The settings by the names of {SETTINGS}, their values unchecked; nil, and an empty mode, is left out. Settings
      # beside a nested object win over those within it.
      #
      # @param name [String] the argument's name, for messages
      # @param value [Hash] an object of settings
      # @return [Hash{String=>Object}]
      # @raise [InvalidInputError] no object, an unknown key (the message names the nearest), two spellings that differ
      def read(name, value)
        given = Base::Validation.mapping(name, value)
        Base::Validation.known("setting", given.keys, SETTINGS + OTHER_NAMES)
        nested = NESTED.select { |key| holds_settings?(key, given[key]) }.map { |key| nested(key, given[key]) }
        (nested.first || {}).merge(plain(given))
      end

      # @param value [Hash, nil] `{reranking_provider_name, reranking_model_name}` or `{provider, model}`
      # @return [String, nil] the model's name, nil if there is none or it is empty
      # @raise [InvalidInputError] no object, an unknown key, a value that is not a text, two names
      def model_name(value)
        return nil if value.nil?

        given = Base::Validation.mapping("reranking_model", value)
        Base::Validation.known("key of reranking_model", given.keys, MODEL_KEYS)
        MODEL_KEYS.each { |key| Base::Validation.text("reranking_model.#{key}", given[key]) unless given[key].nil? }
        names = given.values_at(*NAME_KEYS).compact.reject(&:empty?).uniq
        return names.first if names.size < 2

        raise InvalidInputError, "reranking_model.reranking_model_name and reranking_model.model must not differ"
      end

      # @param value [Hash, nil] `reranking_model`, checked by {model_name}
      # @return [Boolean] whether the model's name is there and empty, as Dify's interface writes it where no model is
      #   chosen
      def names_no_model?(value)
        return false unless !value.nil? && model_name(value).nil?

        Base::Validation.mapping("reranking_model", value).values_at(*NAME_KEYS).include?("")
      end

      # Whether a nested object is there; in an app's settings `retrieval_model` is a text that says nothing here.
      def holds_settings?(key, value)
        !value.nil? && !(key == "retrieval_model" && ::String === value) # rubocop:disable Style/CaseEquality -- any object may come
      end

      def nested(key, value)
        given = Base::Validation.mapping(key, value)
        Base::Validation.known("key of #{key}", given.keys, INNER_NAMES)
        found = plain(given)
        found["reranking_enable"] = node_reranks?(found) if key == NODE && !found.key?("reranking_enable")
        found
      end

      # Whether a workflow node reranks that does not say so: where there are weights, or a model, to do it by.
      def node_reranks?(settings)
        return settings.key?("weights") if settings["reranking_mode"] == WEIGHTED

        !model_name(settings["reranking_model"]).nil?
      end

      # The settings that an object holds itself, without nil.
      def plain(given)
        found = given.slice(*SETTINGS).compact
        found["search_method"] = SEARCH_METHODS.fetch(found["search_method"], found["search_method"])
        found.delete("reranking_mode") if found["reranking_mode"] == ""
        enabled(found, given[ENABLED])
        found.compact
      end

      def enabled(found, value)
        return if value.nil?

        enabled = Base::Validation.boolean(ENABLED, value)
        found["reranking_enable"] = enabled unless found.key?("reranking_enable")
        return if Base::Validation.boolean("reranking_enable", found["reranking_enable"]) == enabled

        raise InvalidInputError, "reranking_enable and #{ENABLED} must not differ"
      end
      private_class_method :holds_settings?, :nested, :node_reranks?, :plain, :enabled
    end
  end
end
