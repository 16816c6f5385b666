# frozen_string_literal: true

module HybridSearch
  module Search
    # Collapses hits with the same value of a field into the first of them (ARR-1).
    class Groups
      include Base::ShortInspect

      # @return [Hash{String=>Integer}] id → the number of other hits of its group
      attr_reader :others

      # @param path [Stores::Documents::FieldPath] the field
      def initialize(path)
        @path = path
        @others = {}
      end

      # @param keys [Array<RankingKey>] places in their order
      # @param documents [Hash{String=>Hash}] id → stored document
      # @return [Array<RankingKey>] the first hit of each group, in the same order
      def collapse(keys, documents)
        first = {}
        keys.select do |key|
          value = group(@path.value(documents.fetch(key.id, {})))
          leader = value.nil? ? key.id : first[value] ||= key.id
          @others[leader] = leader == key.id ? 0 : @others.fetch(leader) + 1
          leader == key.id
        end
      end

      private

      # Return the value by which hits are grouped (DOC-4), a list as a whole; nil for a hit that is its own group.
      def group(value)
        return Stores::Documents::StoredDocument.scalar_key(value) unless value.is_a?(::Array)

        members = value.map { |member| Stores::Documents::StoredDocument.scalar_key(member) }
        members.empty? || members.include?(nil) ? nil : members
      end
    end
  end
end
