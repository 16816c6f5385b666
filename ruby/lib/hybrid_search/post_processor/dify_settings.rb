# frozen_string_literal: true

module HybridSearch
  module PostProcessors
    # Reads Dify's settings under one name each, however they are spelled and nested (DFY-7). Dify's knowledge bases,
    # apps, workflow nodes and API write the same settings in different ways.
    module DifySettings
      # The modes of reranking in Dify (DFY-1).
      WEIGHTED = "weighted_score"
      MODEL = "reranking_model"
      MODES = [WEIGHTED, MODEL].freeze

      SETTINGS = %w[
        search_method reranking_enable reranking_mode reranking_model weights top_k score_threshold_enabled
        score_threshold metadata_filtering_mode metadata_filtering_conditions
      ].freeze
      # The spelling of `reranking_enable` in the settings of apps.
      ENABLED = "reranking_enabled"
      # The key under which the knowledge node of a workflow stores its settings.
      NODE = "multiple_retrieval_config"
      # The keys of objects with settings; the first one present counts.
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

      # Return the unchecked settings by the names of {SETTINGS}, without nils and without an empty mode. Settings next
      # to a nested object override those within it.
      #
      # @param name [String] the argument's name, for messages
      # @param value [Hash] an object of settings
      # @return [Hash{String=>Object}]
      # @raise [InvalidInputError] not an object, an unknown key (the message names the nearest), or two spellings that
      #   differ
      def read(name, value)
        given = Base::Validation.mapping(name, value)
        Base::Validation.known("setting", given.keys, SETTINGS + OTHER_NAMES)
        nested = NESTED.select { |key| holds_settings?(key, given[key]) }.map { |key| nested(key, given[key]) }
        (nested.first || {}).merge(plain(given))
      end

      # @param value [Hash, nil] `{reranking_provider_name, reranking_model_name}` or `{provider, model}`
      # @return [String, nil] the model's name, nil if it is missing or empty
      # @raise [InvalidInputError] not an object, an unknown key, a value that is not a text, or two names
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
      # @return [Boolean] whether the model's name is present but empty, as Dify's interface writes it if no model is
      #   chosen
      def names_no_model?(value)
        return false unless !value.nil? && model_name(value).nil?

        Base::Validation.mapping("reranking_model", value).values_at(*NAME_KEYS).include?("")
      end

      # Return whether a nested object is present; a text as an app's `retrieval_model` is ignored.
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

      # Return whether a workflow node reranks although it does not state so: if it has weights, or a model, to rerank
      # by.
      def node_reranks?(settings)
        return settings.key?("weights") if settings["reranking_mode"] == WEIGHTED

        !model_name(settings["reranking_model"]).nil?
      end

      # Return the settings that an object itself contains, without nils.
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
