# frozen_string_literal: true

module HybridSearch
  module Storing
    # What the tests of every document store are written with (DOC-5): a store to test, and what says that it breaks a
    # promise.
    class ContractBase
      include ShortInspect

      DOCUMENTS = [
        { "id" => "d1", "kb_id" => "k1", "content_ltks" => "solar panel power", "available_int" => 1,
          "q_2_vec" => [1.0, 0.0] },
        { "id" => "d2", "kb_id" => "k1", "content_ltks" => "wind power", "important_kwd" => ["wind"],
          "q_2_vec" => [0.0, 1.0] },
        { "id" => "d3", "kb_id" => "k2", "content_ltks" => "panel of solar experts", "available_int" => 0,
          "q_2_vec" => [0.6, 0.8] },
        { "id" => "d4", "kb_id" => "k2", "content_ltks" => "bread and water", "page_num_int" => 7 },
        { "id" => "d5", "kb_id" => "k3", "content_ltks" => "flour and water", "page_num_int" => 3 },
        { "id" => "d6", "kb_id" => "k3", "content_ltks" => "salt",
          "content_with_weight" => "Salt & more. Nothing else." }
      ].freeze

      # @yieldreturn [DocStoreAdapter] a new, empty store
      def initialize(&make_store)
        @make_store = make_store
      end

      private

      def make_store
        @make_store.call
      end

      def filled
        store = make_store
        store.insert(DOCUMENTS)
        store
      end

      def same(what, got, expected)
        return if got == expected

        raise DocStoreError, "the store breaks the contract: #{what} should be #{expected.inspect}, is #{got.inspect}"
      end

      def refused(error)
        yield
      rescue error
        nil
      else
        raise DocStoreError, "the store breaks the contract: it should raise #{error.name}"
      end
    end
  end
end
