# frozen_string_literal: true

module HybridSearch
  module Search
    # Finds tags for questions and records (TAG-1, TAG-2).
    module IndexTags
      NOT_GIVEN = Embeddings::NOT_GIVEN
      TAG_OPTIONS = %w[field limit smoothing filters].freeze
      private_constant :NOT_GIVEN, :TAG_OPTIONS

      # Return the weighted tags of the documents that a question finds: a `rank_feature` for searches (TAG-1).
      #
      # @param question [String] any text
      # @param field [String] the name of the values that are tags: texts, or lists of texts
      # @param limit [Integer] the maximum number of tags, at least 1
      # @param smoothing [Float] a number that is added to the number of found tags and to that of all tags; less is
      #   enough for fewer than some thousand documents
      # @param filters [Hash{String=>Object}, nil] the documents whose tags count, as for {#search}; default: those of
      #   the index
      # @param unknown [Hash] refused
      # @return [Hash{String=>Integer}]
      # @raise [InvalidInputError] an argument is not accepted
      def tags_of_question(question = NOT_GIVEN, *more, field: "metadata.tags", limit: 3, smoothing: 1000.0,
                           filters: NOT_GIVEN, **unknown)
        places = [question, *more]
        question = Base::Validation.argument("tags_of_question", "question", places, unknown, TAG_OPTIONS)
        @tagger.of_question(question, tag_options(field, limit, smoothing, filters))
      end

      # Return the weighted tags of the documents that a record's texts find: the `tags` of that record (TAG-2).
      #
      # @param record [Hash] as for {#add}; its title, content and keywords count
      # @param field [String] as for {#tags_of_question}
      # @param limit [Integer] as for {#tags_of_question}
      # @param smoothing [Float] as for {#tags_of_question}
      # @param filters [Hash{String=>Object}, nil] as for {#tags_of_question}
      # @param unknown [Hash] refused
      # @return [Hash{String=>Integer}]
      # @raise [InvalidInputError] an argument is not accepted
      def tags_of_record(record = NOT_GIVEN, *more, field: "metadata.tags", limit: 3, smoothing: 1000.0,
                         filters: NOT_GIVEN, **unknown)
        record = Base::Validation.argument("tags_of_record", "record", [record, *more], unknown, TAG_OPTIONS)
        @tagger.of_record(record, tag_options(field, limit, smoothing, filters))
      end

      private

      def tag_options(field, limit, smoothing, filters)
        TagOptions.new(field, limit, smoothing, NOT_GIVEN.equal?(filters) ? @tag_filters : filters)
      end
    end
  end
end
