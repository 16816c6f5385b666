# frozen_string_literal: true

module HybridSearch
  module Search
    # A hit that its parent replaces, or the parent if it was found itself.
    class Child
      include Base::ShortInspect

      # @return [String] its id
      attr_reader :id
      # @return [Float] its score
      attr_reader :score
      # @return [Boolean] whether the score of the parent includes it: it is in the best tier among them
      attr_reader :counted

      def initialize(id, score, counted)
        @id = id
        @score = score
        @counted = counted
        freeze
      end
    end

    # Replaces hits by their parents: small texts are found, large ones are returned (ARR-5).
    class Parents
      include Base::ShortInspect

      # The field of a document that contains the id of its parent, as in RAGFlow.
      PARENT = "mom_id"

      # @return [Hash{String=>Array<Child>}] the replaced hits, by parent
      attr_reader :children
      # @return [Hash{String=>Hash}] id → document of a parent
      attr_reader :found

      # @param document [Hash{String=>Object}] a stored document
      # @return [String, nil] the id of its parent; nil without a parent, or if the id is blank
      def self.parent_of(document)
        parent = document[PARENT]
        parent if parent.is_a?(::String) && !Base::Characters.split_white(parent).empty?
      end

      # @param documents [FilteredDocuments] reads the parents
      # @param method [String] "mean" or "max": the function that makes the score of a parent from its children's scores
      # @param order [RankingOrder] the order of the hits
      def initialize(documents, method, order)
        @documents = documents
        @method = method
        @order = order
        @children = {}
        @found = {}
      end

      # @param keys [Array<RankingKey>] the hits in their order
      # @param documents [Hash{String=>Hash}] id → document of a hit
      # @return [Array<RankingKey>] the hits in their order, with children replaced
      def replace(keys, documents)
        named = keys.to_h { |key| [key.id, Parents.parent_of(documents.fetch(key.id, {}))] }
        asked = {}
        named.each { |identifier, parent| asked[parent] ||= documents.fetch(identifier) unless parent.nil? }
        @found = @documents.of(asked)
        groups = keys.group_by { |key| @found.key?(named[key.id]) ? named[key.id] : key.id }
        replaced = groups.map { |identifier, members| place(identifier, members) }
        @children.empty? ? keys : @order.sorted(replaced)
      end

      private

      # Return the place of a group: that of a hit without a parent, or that of a parent.
      def place(identifier, members)
        return members[0] if members.map(&:id) == [identifier]

        tier = members.map(&:tier).min
        counted = members.select { |key| key.tier == tier }
        @children[identifier] = members.map { |key| Child.new(key.id, key.score, key.tier == tier) }
        values = @order.by_fields? ? @order.values(@found.fetch(identifier)) : []
        RankingKey.new(values, tier, score(counted.map(&:score)), score(counted.map(&:stage1_score)), identifier)
      end

      def score(scores)
        @method == "mean" ? Base::Numeric.mean(scores) : scores.max
      end
    end
  end
end
