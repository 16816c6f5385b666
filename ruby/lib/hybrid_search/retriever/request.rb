# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # options:begin: made by `bin/conformance make options`

    # The keyword options of {Retriever#retrieve}:
    # - `page`: the number of the page, from 1; a lower number counts as 1 (RET-6).
    # - `page_size`: the number of entries on a page, 1 to `max_page_size` (RET-6).
    # - `topk`: the maximum number of candidates of each leg and of their fusion, at least 1 (RET-1).
    # - `similarity_threshold`: the lowest similarity of a result; if candidates are reranked, also the lowest cosine in
    #   the dense leg, where `vector_similarity_weight` 0 sets no limit (RET-4).
    # - `vector_similarity_weight`: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the share
    #   of the text (RNK-1).
    # - `rerank_model`: an object with `similarity(query, texts)`, a callable, or the name of a model such as
    #   "fastembed"; it replaces the vectors in a rerank (RNK-9).
    # - `rank_feature`: tags of the query, name → number; a rerank compares them with the documents' tags (RNK-5).
    # - `rank_feature_recall`: whether `rank_feature` counts in recall too, so that a page rank or a tag may bring a
    #   candidate in (RNK-10).
    # - `filters`: the conditions that documents must satisfy, as data: `{"metadata.lang": "zh", "page_rank": {"gte":
    #   2}}` (RET-8).
    # - `order_by`: the fields that order the candidates instead of their similarity: `[name, "asc" or "desc"]` pairs,
    #   one name, or an object of names and directions (RET-8).
    # - `match_all`: whether to return all documents that satisfy the filters, without a question (RET-9).
    # - `full_pages`: whether every page except the last is full; otherwise pages are RAGFlow's windows, with gaps below
    #   the threshold (RET-7).
    # - `exact_total`: whether a rerank model that scores block by block scores all candidates, so that `total` and
    #   `pages` of full pages are exact (RET-7).
    # - `highlight`: whether chunks contain their text with the matches in `<em>` (DOC-4).
    # - `aggs`: whether to count documents in `doc_aggs` (DOC-4).
    # - `facets`: the names whose values are counted over all results, including those on other pages (RET-9).
    # - `facet_limit`: the maximum number of values in a facet, 1 to 10000 (RET-9).
    # - `explain`: whether the result contains every part of every score (RET-5).
    # - `profile`: the name of a set of defaults for `text_leg`, `fusion`, `ranking` and `similarity_threshold`:
    #   "balanced" (the default of an `Index`), "ragflow" (RAGFlow's ranking, the default of a `Retriever`) or "dify"
    #   (Dify's fusion by ranks) (RET-10).
    # - `text_leg`: the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's tokens in all fields
    #   at once) (QRY-11).
    # - `fusion`: the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto" or "min_max"
    #   (FUS-1).
    # - `weights`: the weights of the text leg and the dense leg in a weighted sum, "t,d" (FUS-1).
    # - `rrf_k`: the constant k of reciprocal rank fusion, at least 0 (FUS-2).
    # - `ranking`: the order of the candidates: "rerank" (a rerank by tokens and vectors) or "fused" (the order of the
    #   fusion) (RET-10).
    # - `fail_open`: whether a failing rerank model causes a warning (true) or an error (RNK-7).
    # - `rerank_timeout`: the number of seconds for a rerank model (RNK-7).
    module RetrievalOptions
      # Every option of {Retriever#retrieve} with its default.
      DEFAULTS = {
        "page" => 1,
        "page_size" => 10,
        "topk" => 1024,
        "similarity_threshold" => 0.2,
        "vector_similarity_weight" => 0.3,
        "rerank_model" => nil,
        "rank_feature" => nil,
        "rank_feature_recall" => false,
        "filters" => nil,
        "order_by" => nil,
        "match_all" => false,
        "full_pages" => false,
        "exact_total" => false,
        "highlight" => false,
        "aggs" => true,
        "facets" => nil,
        "facet_limit" => 100,
        "explain" => false,
        "profile" => "ragflow",
        "text_leg" => "tree",
        "fusion" => "weighted_sum",
        "weights" => "0.05,0.95",
        "rrf_k" => 60,
        "ranking" => "rerank",
        "fail_open" => true,
        "rerank_timeout" => 30.0
      }.freeze
    end
    # options:end

    # A retrieval request: a question with its checked options and their defaults (RET-1, RET-6); see {RetrievalOptions}
    # for the meaning of each.
    class RetrievalRequest
      include Base::ShortInspect

      # Maximum number of names to order by, and of facets.
      MOST_NAMES = 16
      MOST_FACET_VALUES = 10_000

      # @return [String]
      attr_reader :question
      # request:begin: made by `bin/conformance make options`
      # @return [Integer]
      attr_reader :page
      # @return [Integer]
      attr_reader :page_size
      # @return [Integer]
      attr_reader :topk
      # @return [Float]
      attr_reader :similarity_threshold
      # @return [Float]
      attr_reader :vector_similarity_weight
      # @return [#similarity, #call, nil]
      attr_reader :rerank_model
      # @return [Hash{String=>Float}, nil]
      attr_reader :rank_feature
      # @return [Boolean]
      attr_reader :rank_feature_recall
      # @return [Hash{String=>Object}]
      attr_reader :filters
      # @return [Array<Array(String, String)>]
      attr_reader :order_by
      # @return [Boolean]
      attr_reader :match_all
      # @return [Boolean]
      attr_reader :full_pages
      # @return [Boolean]
      attr_reader :exact_total
      # @return [Boolean]
      attr_reader :highlight
      # @return [Boolean]
      attr_reader :aggs
      # @return [Hash{String=>String}, nil]
      attr_reader :facets
      # @return [Integer]
      attr_reader :facet_limit
      # @return [Boolean]
      attr_reader :explain
      # @return [String]
      attr_reader :text_leg
      # @return [AdapterKit::FusionExpr]
      attr_reader :fusion
      # @return [String]
      attr_reader :ranking
      # @return [Boolean]
      attr_reader :fail_open
      # @return [Float]
      attr_reader :rerank_timeout

      # request:end
      # @return [AdapterKit::Filters] the parsed filters, for stores that accept them in this form
      attr_reader :parsed_filters

      # @param question [String]
      # @param options [Hash] see {RetrievalOptions}
      # @param max_page_size [Integer]
      # @raise [InvalidInputError] an unknown option or a value that is not accepted; the message names it
      # @return [RetrievalRequest]
      def self.build(question, options, max_page_size)
        Base::Validation.known("option", options.keys, RetrievalOptions::DEFAULTS.keys)
        new(question, Profiles.filled(RetrievalOptions::DEFAULTS, options.transform_keys(&:to_s)), max_page_size)
      end

      # @api private
      def initialize(question, given, max_page_size)
        @match_all = Base::Validation.boolean("match_all", given["match_all"])
        @question = checked_question(question)
        @page = [1, Base::Validation.integer("page", given["page"])].max
        @page_size = Base::Validation.integer("page_size", given["page_size"], 1, max_page_size)
        @topk = Base::Validation.integer("topk", given["topk"], 1)
        @similarity_threshold = Base::Validation.number("similarity_threshold", given["similarity_threshold"])
        @vector_similarity_weight =
          Base::Validation.number("vector_similarity_weight", given["vector_similarity_weight"], 0.0, 1.0)
        @rerank_model = checked_model(given["rerank_model"])
        @rank_feature = checked_rank_feature(given["rank_feature"], given["ranking"])
        @rank_feature_recall = Base::Validation.boolean("rank_feature_recall", given["rank_feature_recall"])
        Stores::Queries::RecallFeatures.of(@rank_feature) if @rank_feature_recall
        @filters, @parsed_filters = checked_filters(given["filters"])
        @order_by = checked_order(given["order_by"])
        @full_pages = Base::Validation.boolean("full_pages", given["full_pages"])
        @exact_total = Base::Validation.boolean("exact_total", given["exact_total"])
        @highlight = Base::Validation.boolean("highlight", given["highlight"])
        @aggs = Base::Validation.boolean("aggs", given["aggs"])
        @facets = checked_facets(given["facets"])
        @facet_limit = Base::Validation.integer("facet_limit", given["facet_limit"], 1, MOST_FACET_VALUES)
        @explain = Base::Validation.boolean("explain", given["explain"])
        @text_leg = Base::Validation.choice("text_leg", given["text_leg"], Profiles::CHOICES["text_leg"])
        @fusion = checked_fusion(given)
        @ranking = Base::Validation.choice("ranking", given["ranking"], Profiles::CHOICES["ranking"])
        @fail_open = Base::Validation.boolean("fail_open", given["fail_open"])
        @rerank_timeout = checked_timeout(given["rerank_timeout"])
        freeze
      end

      # @return [Float] the share of a query's clauses that must match: 0.3, or 0 if the vectors decide almost alone
      #   (RET-1)
      def min_match
        return 0.0 if @text_leg == "bm25f"

        @vector_similarity_weight < 0.8 ? 0.3 : 0.0
      end

      # @return [Boolean] whether candidates stay in the order of their fusion (RET-10)
      def fused?
        @ranking == "fused"
      end

      # @return [Integer] the number of documents of each leg: the wanted number, but at least the number that its
      #   fusion compares (FUS-5)
      def depth
        compares_legs? ? [@topk, Fusions::FusedLegs::DEPTH].max : @topk
      end

      # @return [Boolean] whether a single leg is fused too, so that its scores are those of a fusion (RET-10)
      def fuses_one_leg?
        fused? || compares_legs?
      end

      # @return [Boolean] whether a similarity may be too low to be shown (RET-4, RET-10)
      def threshold?
        !@match_all && (fused? || !@vector_similarity_weight.zero?)
      end

      # @return [Boolean] whether every candidate is shown: no threshold is set, or no score of the fusion is below it
      def passes_all?
        return true unless threshold?

        never_negative = fused? && @rerank_model.nil? && @fusion.method != "weighted_sum"
        never_negative && @similarity_threshold <= 0.0
      end

      # @return [Float] the lowest cosine that the dense leg accepts: the threshold, as far as it is a cosine
      def similarity
        return -1.0 if fused?

        @similarity_threshold.clamp(-1.0, 1.0)
      end

      # @return [Float] the weight of the term similarity
      def tkweight
        1.0 - @vector_similarity_weight
      end

      # @return [Float] the weight of the vector similarity, or of the model's scores
      def vtweight
        @vector_similarity_weight
      end

      # @return [Boolean] whether the request is empty: it has no question, and `match_all` is false (RET-6)
      def blank?
        !@match_all && QueryBuilders::QuestionWords.blank?(@question)
      end

      # @return [Boolean] whether the filters name the documents to search (RET-2)
      def names_documents?
        wanted = @filters["doc_id"]
        (wanted.is_a?(::String) || wanted.is_a?(::Array)) && !wanted.empty?
      end

      # Refuse a text leg that a store does not support.
      #
      # @param supports_bm25f [Boolean] whether the store takes bags of tokens (DOC-8)
      # @raise [InvalidInputError] the store does not, and the leg needs them
      # @return [void]
      def check_store(supports_bm25f)
        return if supports_bm25f || @text_leg != "bm25f"

        raise InvalidInputError,
              'text_leg "bm25f" needs a store that takes bags of tokens; take profile "ragflow" or "dify"'
      end

      # @param question [String]
      # @return [RetrievalRequest] the same request for another question
      # @raise [InvalidInputError] the question is not empty although `match_all` is true
      def asking(question)
        copy = dup
        copy.instance_variable_set(:@question, checked_question(question))
        copy.freeze
      end

      # @return [RetrievalRequest] the same request for another page
      def on_page(page)
        copy = dup
        copy.instance_variable_set(:@page, page)
        copy.freeze
      end

      # @return [RetrievalRequest] the same request without a rerank model
      def without_model
        copy = dup
        copy.instance_variable_set(:@rerank_model, nil)
        copy.freeze
      end

      private

      def compares_legs?
        !Fusions::FusionMethods::METHODS.fetch(@fusion.method).legs.nil?
      end

      def checked_model(model)
        checked = model.nil? ? nil : Rerankers::RerankModel.accept("rerank_model", model)
        @match_all ? nil : checked
      end

      def checked_rank_feature(value, ranking)
        return nil if value.nil?

        tags = Base::Validation.mapping("rank_feature", value)
        if ranking.to_s == "fused"
          raise Base::Validation.failure("rank_feature", value,
                                         'none where ranking is "fused" (profile "ragflow" takes it)')
        end

        tags.to_h do |name, number|
          [name, Base::Validation.number(Base::Validation.member("rank_feature", name), number)]
        end
      end

      def checked_question(question)
        text = Base::Validation.text("question", question)
        return text if !@match_all || QueryBuilders::QuestionWords.blank?(text)

        raise Base::Validation.failure("question", text, "empty where match_all is true")
      end

      # Return the filters in the names of the store, as data and parsed; by default only available documents match.
      def checked_filters(value)
        parser = Stores::Filters::FilterParser.new(FieldWords.new)
        parsed = parser.parse(value.nil? ? {} : value)
        return [parsed.data, AdapterKit::Filters.new(parsed)] if parser.fields.include?("available_int")

        parser.count(1)
        available = AdapterKit::Filters::AVAILABLE
        whole = Stores::Filters::FilterConditions::Conjunction.new([*parsed.conditions, available])
        [parsed.data.merge(available.data), AdapterKit::Filters.new(whole)]
      end

      def checked_order(value)
        given = Stores::Queries::SortOrder.pairs(value.nil? ? [] : value)
        bounded("order_by", given)
        words = FieldWords.new
        given.map { |field, direction| [words.name("name to order by", field), direction] }.freeze
      end

      def checked_facets(value)
        return nil if value.nil?

        names = Base::Validation.names("facets", value)
        bounded("facets", names)
        names.to_h { |name| [name, FieldWords.new.name("facet", name)] }.freeze
      end

      def bounded(name, given)
        return if given.size <= MOST_NAMES

        raise InvalidInputError, "#{name} must hold at most #{MOST_NAMES} names, not #{given.size}"
      end

      def checked_fusion(given)
        method = Base::Validation.choice("fusion", given["fusion"], Profiles::CHOICES["fusion"])
        known = Fusions::FusionMethods::METHODS.values.flat_map { |each| each.params.values }
        checked = known.to_h { |param| [param.option, param.check.call(param.option, given[param.option])] }
        params = Fusions::FusionMethods::METHODS.fetch(method).params.transform_values do |param|
          checked.fetch(param.option)
        end
        if method == "auto" && given["text_leg"].to_s == "tree"
          raise InvalidInputError,
                'fusion "auto" needs text_leg "bm25f"; for text_leg "tree" take "weighted_sum" or "rrf"'
        end

        AdapterKit::FusionExpr.new(method, given["topk"], params)
      end

      def checked_timeout(value)
        seconds = Base::Validation.number("rerank_timeout", value)
        if seconds <= 0.0
          raise InvalidInputError, "rerank_timeout must be a number above 0, not #{Base::Validation.describe(value)}"
        end

        seconds
      end
    end
  end
end
