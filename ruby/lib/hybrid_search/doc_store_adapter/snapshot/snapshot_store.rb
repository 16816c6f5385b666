# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # A store that answers from one state of its documents (DOC-1 … DOC-4): each question from one snapshot, whatever
      # is written meanwhile; scores are the reference's. Subclasses have `in_one_state`, which yields a {StoreSnapshot}
      # of the last state and gives what the block gives.
      #
      # @abstract
      class SnapshotStore < CheckedStore
        # @see DocStoreAdapter#exact_text?
        def exact_text?
          true
        end

        # @param expr [AdapterKit::MatchTextExpr]
        # @param filters [Hash{String=>Object}, nil]
        # @return [Array<Array(String, Float)>] the documents that match a text query, at most its `topn`, by ORD-1
        def text_leg(expr, filters = nil)
          rank([expr], filters)
        end

        # @param expr [AdapterKit::MatchDenseExpr]
        # @param filters [Hash{String=>Object}, nil]
        # @return [Array<Array(String, Float)>] the documents nearest to a vector, at most its `topn`, only with enough
        #   similarity, by ORD-1
        def dense_leg(expr, filters = nil)
          rank([expr], filters)
        end

        # @see DocStoreAdapter#get_many
        def get_many(identifiers, vector_fields = nil)
          in_one_state { |snapshot| snapshot.get_many(identifiers, vector_fields) }
        end

        private

        def find(wanted)
          in_one_state { |snapshot| snapshot.search(wanted) }
        end

        def ranking(match, filters)
          in_one_state { |snapshot| snapshot.rank(match, filters) }
        end
      end
    end
  end
end
