# frozen_string_literal: true

module HybridSearch
  module Search
    # The checked options of a search for tags.
    class TagOptions
      include Base::ShortInspect

      # @return [String] the field of the store whose values are tags
      attr_reader :field
      # @return [Integer] the maximum number of tags
      attr_reader :limit
      # @return [Float] a number that is added to both numbers of tags
      attr_reader :smoothing
      # @return [Hash{String=>Object}] the filters of the documents that count
      attr_reader :filters

      # @raise [InvalidInputError] an option is not accepted; the message names it
      def initialize(field, limit, smoothing, filters)
        options = filters.nil? ? {} : { "filters" => filters }
        page_size = Retrievers::RetrievalOptions::DEFAULTS["page_size"]
        @field = Retrievers::FieldWords.new.name("field", Base::Validation.text("field", field))
        @limit = Base::Validation.integer("limit", limit, 1)
        @smoothing = Base::Validation.number("smoothing", smoothing, 0.0)
        @filters = Retrievers::RetrievalRequest.build("", options, page_size).filters
        freeze
      end
    end

    # Finds the tags that are more frequent in the results of a text than in all documents (TAG-1, TAG-2).
    class Tagger
      include Base::ShortInspect

      LOWEST_SHARE = 1e-6
      # The assumed share of a tag that all documents together no longer have.
      UNKNOWN_SHARE = 0.0001

      # @param store [DocStoreAdapter] documents with tags
      # @param query_builder [QueryBuilder] makes the queries
      def initialize(store, query_builder)
        @store = store
        @query_builder = query_builder
        @documents = DocumentBuilder.new(tokenizer: query_builder.tokenizer)
      end

      # @param question [String]
      # @param options [TagOptions]
      # @return [Hash{String=>Integer}] the tags of a question, each with a weight of at least 1 (TAG-1)
      def of_question(question, options)
        query, = @query_builder.build_text_query(@query_builder.accept_question(question), min_match: 0.0)
        weighted(query, options).to_h.transform_values { |weight| [1, weight].max }
      end

      # @param record [Hash]
      # @param options [TagOptions]
      # @return [Hash{String=>Integer}] the tags of a record, those with a weight above 0 (TAG-2)
      def of_record(record, options)
        fields = @documents.build(record)
        tokens = "#{fields["title_tks"]} #{fields["content_ltks"]}".split
        query = @query_builder.paragraph(tokens, fields.fetch("important_kwd", []))
        weighted(query, options).to_h.select { |_, weight| weight.positive? }
      end

      private

      # Return the heaviest tags and their weights.
      def weighted(query, options)
        return [] if query.nil? || empty?(query.tree)

        found = counts([deep(query)], options)
        return [] if found.empty?

        shares = shares(counts([], options), options.smoothing)
        total = found.sum { |_, count| count } + options.smoothing # whole numbers
        weighted = found.map do |tag, count|
          share = [LOWEST_SHARE, shares.fetch(tag, UNKNOWN_SHARE)].max
          [tag, Base::Numeric.round_half_even(0.1 * (count + 1) / total / share)]
        end
        ordered = weighted.each_with_index.sort_by { |(_, weight), place| [-weight, place] }
        Base::Slices.head(ordered.map(&:first), options.limit)
      end

      def empty?(tree)
        tree.is_a?(AdapterKit::Tree::AnyOf) && tree.children.empty?
      end

      # Return the same query without a limit.
      def deep(query)
        AdapterKit::MatchTextExpr.new(
          fields: query.fields, tree: query.tree, topn: [1, @store.count].max, extra_options: query.extra_options
        )
      end

      # Return the tags of the documents that expressions find, each with the number of its documents, by DOC-4.
      def counts(expressions, options)
        result = @store.search(
          select_fields: [],
          filters: options.filters,
          match_exprs: expressions,
          limit: 0,
          agg_fields: [options.field]
        )
        result.aggs.fetch(options.field, []).select { |tag, _| tag?(tag) }
      end

      def tag?(value)
        value.is_a?(::String) && !Base::Characters.strip(value).empty?
      end

      def shares(everything, smoothing)
        total = everything.sum { |_, count| count } + smoothing # whole numbers
        everything.to_h.transform_values { |count| (count + 1) / total }
      end
    end
  end
end
