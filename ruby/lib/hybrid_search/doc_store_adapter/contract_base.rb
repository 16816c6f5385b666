# frozen_string_literal: true

module HybridSearch
  module Storing
    # What the tests of every document store are written with (DOC-5): a store to test, and what says that it breaks a
    # promise.
    class ContractBase
      include ShortInspect

      DOCUMENTS = ContractData::DOCUMENTS
      private_constant :DOCUMENTS

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
