# frozen_string_literal: true

module HybridSearch
  module Search
    # The hits of an arrangement.
    class Arranged
      include Base::ShortInspect

      # @return [Array<RankingKey>] their places, in their order
      attr_reader :keys
      # @return [Hash{String=>Array<Child>}] id → the hits that it replaces; empty unless parents replace them
      attr_reader :children
      # @return [Hash{String=>Integer}] id → the number of other hits of its group; empty unless groups are collapsed
      attr_reader :others
      # @return [Hash{String=>Array<Duplicate>}] id → the hits that are folded into it
      attr_reader :duplicates
      # @return [Hash{String=>MarginalRelevance}] id → the reason for its place; empty unless similar hits are separated
      attr_reader :marginal
      # @return [Hash{String=>Integer}] the number of hits before the first step, and the number removed by each step
      attr_reader :counts

      def initialize(keys, children, others, duplicates, marginal, counts)
        @keys = keys
        @children = children
        @others = others
        @duplicates = duplicates
        @marginal = marginal
        @counts = counts
        freeze
      end

      # @return [Array] the data whose bytes a cache counts
      def counted
        [
          children.transform_values { |found| found.map { |one| [one.id, one.score, one.counted] } },
          others,
          duplicates.transform_values { |found| found.map { |one| [one.id, one.similarity] } },
          marginal.transform_values { |one| [one.relevance, one.similarity, one.value] }
        ]
      end

      # @param identifier [String] the id of a hit
      # @return [Hash{Symbol=>Object}] the additional parts of the hit
      def shown(identifier)
        parts = {}
        parts[:children] = children[identifier].map(&:id) - [identifier] if children.key?(identifier)
        parts[:others] = others[identifier] if others.key?(identifier)
        parts[:duplicates] = duplicates[identifier].map(&:id) if duplicates.key?(identifier)
        parts
      end

      # @param identifier [String] the id of a hit
      # @param recalled [Hash{String=>Hash}] id → the explanation of a candidate in recall
      # @return [Hash{String=>Object}] the additional parts of the explanation of the hit
      def explained(identifier, recalled)
        parts = {}
        if children.key?(identifier)
          parts["children"] = children[identifier].map do |child|
            recalled.fetch(child.id).merge("id" => child.id, "score" => child.score, "counted" => child.counted)
          end
        end
        parts["others"] = others[identifier] if others.key?(identifier)
        if duplicates.key?(identifier)
          parts["duplicates"] = duplicates[identifier].map { |one| { "id" => one.id, "similarity" => one.similarity } }
        end
        found = marginal[identifier]
        if found
          parts["diversity"] = { "relevance" => found.relevance, "similarity" => found.similarity,
                                 "value" => found.value }
        end
        parts
      end
    end

    # The steps that change a ranking before it is shown: parents replace children, duplicates are folded, hits are
    # grouped, similar hits are separated (ARR-4). {Index#search} explains each option.
    class Arrangement
      include Base::ShortInspect

      # The options of an arrangement, and the values that turn them off.
      OPTIONS = { "parents" => nil, "collapse" => nil, "diversity" => 0.0, "fold_duplicates" => nil }.freeze

      # @return [String, nil] "mean" or "max": the function that makes the score of a parent from the scores of its
      #   children
      attr_reader :parents
      # @return [String, nil] the field of the store that groups have in common
      attr_reader :collapse
      # @return [Float] the weight of similarity
      attr_reader :diversity
      # @return [Float, nil] the lowest similarity of duplicates
      attr_reader :fold_duplicates

      # @param given [Hash{String=>Object}] the options of a search
      # @param retrieval [Retrievers::RetrievalRequest] the rest of the request
      # @return [Arrangement, nil] the checked arrangement; nil if no step is requested
      # @raise [InvalidInputError] a value is not accepted, or cannot be combined with another one
      def self.of(given, retrieval)
        checked = new(given)
        asked = checked.asked.keys
        return if asked.empty?

        raise InvalidInputError, "#{asked.first} must not be set where match_all is true" if retrieval.match_all

        if !retrieval.order_by.empty? && checked.diversity.positive?
          raise InvalidInputError, "diversity and order_by exclude each other: both say how hits are ordered"
        end

        checked
      end

      # @api private
      def initialize(given)
        accepted = Retrievers::Profiles::CHOICES["parents"]
        @parents = given["parents"].nil? ? nil : Base::Validation.choice("parents", given["parents"], accepted)
        @collapse = field(given["collapse"])
        @diversity = Base::Validation.number("diversity", given["diversity"], 0.0, 1.0)
        fold = given["fold_duplicates"]
        @fold_duplicates = fold.nil? ? nil : Base::Validation.number("fold_duplicates", fold, 0.5, 1.0)
        freeze
      end

      # @return [Hash{String=>Object}] the requested steps, for the fingerprint of a request (CUR-3)
      def asked
        OPTIONS.keys.to_h { |name| [name, public_send(name)] }.reject { |name, value| value == OPTIONS[name] }
      end

      # @return [Boolean] whether hits are shown in an order other than that of their places
      def moves_hits?
        diversity.positive?
      end

      # Arrange all hits of a ranking.
      #
      # @param store [DocStoreAdapter] the documents
      # @param retrieval [Retrievers::RetrievalRequest] the rest of the request
      # @param keys [Array<RankingKey>] the places of the hits, in their order
      # @param query_vector [Array<Float>, nil] the vector of the search, nil without a dense leg
      # @return [Arranged]
      def arrange(store, retrieval, keys, query_vector)
        counts = { "hits" => keys.size }
        documents = documents(store, keys)
        children = duplicates = others = marginal = {}
        unless parents.nil?
          shown = FilteredDocuments.new(store, retrieval.parsed_filters)
          parents = Parents.new(shown, self.parents, RankingOrder.new(retrieval.order_by))
          before = keys.size
          keys = parents.replace(keys, documents)
          children = parents.children
          counts["replaced"] = before - keys.size
          documents = documents.merge(parents.found)
        end
        unless fold_duplicates.nil?
          near = NearDuplicates.new(fold_duplicates)
          before = keys.size
          keys = near.fold(keys, documents)
          duplicates = near.duplicates
          counts["folded"] = before - keys.size
        end
        unless collapse.nil?
          groups = Groups.new(Stores::Documents::FieldPath.of(collapse))
          before = keys.size
          keys = groups.collapse(keys, documents)
          others = groups.others
          counts["collapsed"] = before - keys.size
        end
        if moves_hits?
          diversity = Diversity.new(store, self.diversity, query_vector)
          keys = diversity.order(keys)
          marginal = diversity.parts
        end
        Arranged.new(keys, children, others, duplicates, marginal, counts)
      end

      private

      # Return the documents of the hits by their ids, if they are needed, without removed ones.
      def documents(store, keys)
        return {} if parents.nil? && fold_duplicates.nil? && collapse.nil?

        identifiers = keys.map(&:id)
        identifiers.zip(store.get_many(identifiers, [])).to_h.compact
      end

      def field(name)
        return nil if name.nil?

        name = name.to_s if name.is_a?(::Symbol)
        Retrievers::FieldWords.new.name("name to collapse by", Base::Validation.text("collapse", name))
      end
    end
  end
end
