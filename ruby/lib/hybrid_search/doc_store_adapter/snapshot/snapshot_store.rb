# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # A store in which each call reads one snapshot of its documents, regardless of concurrent writes; scores are the
      # reference's (DOC-1 … DOC-4). Subclasses have `in_one_state`, which yields a {StoreSnapshot} of the latest state
      # and returns the result of the block.
      #
      # @abstract
      class SnapshotStore < CheckedStore
        # @see DocStoreAdapter#exact_text?
        def exact_text?
          true
        end

        # @param expr [AdapterKit::MatchTextExpr]
        # @param filters [Hash{String=>Object}, nil]
        # @return [Array<Array(String, Float)>] the documents that match a text query, at most its `topn`, in the order
        #   of ORD-1
        def text_leg(expr, filters = nil)
          rank([expr], filters)
        end

        # @param expr [AdapterKit::MatchDenseExpr]
        # @param filters [Hash{String=>Object}, nil]
        # @return [Array<Array(String, Float)>] the documents nearest to a vector with sufficient similarity, at most
        #   `topn`, by ORD-1
        def dense_leg(expr, filters = nil)
          rank([expr], filters)
        end

        # @see DocStoreAdapter#get_many
        def get_many(identifiers, vector_fields = nil)
          names = Base::Validation.texts("identifiers", identifiers)
          fields = vector_fields.nil? ? nil : Base::Validation.texts("vector_fields", vector_fields)
          in_one_state { |snapshot| snapshot.get_many(names, fields) }
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
