# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # The base class of the tests for document stores (DOC-5, DOC-8): a store to test, and the checks that report a
      # broken guarantee.
      class ContractBase
        include Base::ShortInspect

        DOCUMENTS = ContractData::DOCUMENTS
        BROKEN = "the store breaks the contract:"
        # The names of the optional hooks. Tests that need one are skipped if it is not given or returns nil.
        HOOKS = %w[make_reference reopen open_beside lose_connection answer_in_part lose_answer].freeze
        private_constant :DOCUMENTS, :BROKEN, :HOOKS

        # @param hooks [Hash{Symbol=>#call}] `make_reference` takes no arguments and returns a new, empty memory store
        #   that uses the store's BM25 formula. The others take a store. `reopen` closes it, opens its content again,
        #   and returns the new store; `open_beside` returns a second store of the same content. The last three cause a
        #   fault, and return a callable that ends it: `lose_connection` cuts the store's connections, as a server does
        #   when it ends; `answer_in_part` makes its engine search only a part of the documents; `lose_answer` makes the
        #   responses to changes get lost after the changes were sent
        # @yieldreturn [DocStoreAdapter] a new, empty store
        # @raise [InvalidInputError] an unknown hook
        def initialize(**hooks, &make_store)
          Base::Validation.known("hook", hooks.keys, HOOKS)
          @make_store = make_store
          @hooks = hooks
        end

        private

        def make_store
          @make_store.call
        end

        def make_reference
          @hooks[:make_reference]&.call || MemoryDocStore.new(kernels: "plain")
        end

        def reopen(store)
          @hooks[:reopen]&.call(store)
        end

        def open_beside(store)
          @hooks[:open_beside]&.call(store)
        end

        def lose_connection(store)
          @hooks[:lose_connection]&.call(store)
        end

        def answer_in_part(store)
          @hooks[:answer_in_part]&.call(store)
        end

        def lose_answer(store)
          @hooks[:lose_answer]&.call(store)
        end

        def filled
          store = make_store
          store.insert(DOCUMENTS)
          store
        end

        def same(what, got, expected)
          raise DocStoreError, "#{BROKEN} #{what} should be #{expected.inspect}, is #{got.inspect}" if got != expected
        end

        def refused(error)
          yield
        rescue error
          nil
        else
          raise DocStoreError, "#{BROKEN} it should raise #{error.name}"
        end

        def term(text)
          AdapterKit::Tree::Term.new(text)
        end

        def phrase(tokens, slop = 0)
          AdapterKit::Tree::Phrase.new(tokens, slop:)
        end

        def any_of(*children)
          AdapterKit::Tree::AnyOf.new(children)
        end

        # Return a text query in one field.
        def text(tree, field: "content_ltks", minimum: nil, topn: 100)
          extra_options = minimum.nil? ? {} : { "minimum_should_match" => minimum }
          AdapterKit::MatchTextExpr.new(fields: [[field, 1.0]], tree:, topn:, extra_options:)
        end

        # Return a dense query.
        def dense(similarity, topn: 10, vector: [1.0, 0.0], field: "q_2_vec")
          AdapterKit::MatchDenseExpr.new(field:, vector:, topn:, extra_options: { "similarity" => similarity })
        end
      end
    end
  end
end
