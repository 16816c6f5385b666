# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # The change of a term.
      class TermChange
        include Base::ShortInspect

        # @return [Hash{Integer=>true}] the numbers of documents whose places are removed
        attr_reader :removed
        # @return [Array<Integer>] new places, ascending
        attr_reader :added
        # @return [Integer] the change in the number of documents that contain the term
        attr_accessor :documents

        def initialize
          @removed = {}
          @added = []
          @documents = 0
        end
      end

      # The change of a document.
      class Change
        include Base::ShortInspect

        # @return [Integer] its number
        attr_reader :number
        # @return [Documents::StoredDocument, nil] the stored document
        attr_reader :before
        # @return [Documents::StoredDocument, nil] the document after the change
        attr_reader :after

        def initialize(number, before, after)
          @number = number
          @before = before
          @after = after
          freeze
        end
      end

      # The change of a field.
      class FieldChange
        include Base::ShortInspect

        # @return [Integer] the change in the number of documents that have the field
        attr_reader :documents
        # @return [Integer] the change in the number of their tokens
        attr_reader :tokens
        # @return [Integer] the change in the number of documents that have a token there
        attr_reader :filled
        # @return [Array<Array(Integer, Array<String>)>] the numbers of documents that no longer have the field with
        #   some tokens, and these, as recorded
        attr_reader :removed
        # @return [Array<Array(Integer, Array<String>)>] the numbers of documents that have the field with some tokens,
        #   and these, as recorded
        attr_reader :added
        # @return [Hash{Integer=>Integer, nil}] number of a document → its number of tokens after the change, nil
        #   without the field
        attr_reader :lengths

        def initialize
          @documents = 0
          @tokens = 0
          @filled = 0
          @removed = []
          @added = []
          @lengths = {}
        end

        # Record that a document no longer has the field with these tokens.
        #
        # @return [void]
        def remove(number, tokens)
          @documents -= 1
          @tokens -= tokens.size
          @filled -= 1 unless tokens.empty?
          @lengths[number] = nil
          @removed << [number, tokens]
        end

        # Record that a document has the field with these tokens.
        #
        # @return [void]
        def add(number, tokens)
          @documents += 1
          @tokens += tokens.size
          @filled += 1 unless tokens.empty?
          @lengths[number] = tokens.size
          @added << [number, tokens]
        end

        # @return [Hash{String=>TermChange}] token → the change of the term
        def terms
          found = Hash.new { |known, token| known[token] = TermChange.new }
          @removed.each do |number, tokens|
            tokens.uniq.each do |token|
              found[token].removed[number] = true
              found[token].documents -= 1
            end
          end
          @added.each do |number, tokens|
            tokens.uniq.each { |token| found[token].documents += 1 }
            tokens.each.with_index(number << Blobs::NUMBER_BITS) { |token, place| found[token].added << place }
          end
          found
        end
      end

      # The changes of a batch to the terms of a persistent store (SQL-1, PG-1).
      module DocumentChanges
        # The number of documents of a batch above which the batch does not note them for readers.
        MOST_NOTED = 1000
        # The number of batches whose documents stay noted.
        MOST_BATCHES = 256
        # The number of changed documents above which everything that was cached before is dropped.
        MOST_TOUCHED = 2000

        module_function

        # @param batch [Array<Array(Documents::StoredDocument, Documents::StoredDocument)>] each document before and
        #   after the change; nil if there is none
        # @param numbers [Hash{String=>Integer}] the ids and numbers of the stored documents
        # @yieldparam count [Integer]
        # @yieldreturn [Array<Integer>] that many numbers for new documents
        # @return [Array<Change>] the changes in the order of their numbers
        def numbered(batch, numbers)
          fresh = yield(batch.count { |before, _| before.nil? }).each
          changes = batch.map do |before, after|
            Change.new(before ? numbers.fetch(before.identifier) : fresh.next, before, after)
          end
          changes.sort_by(&:number)
        end

        # @param changes [Array<Change>] the changes in ascending order of their numbers
        # @yieldparam document [Documents::StoredDocument, nil]
        # @yieldreturn [Hash{Object=>Array<String>}] the tokens of a document in each of its fields; empty without a
        #   document
        # @return [Hash{Object=>FieldChange}] the change of each field whose tokens change
        def by_field(changes)
          fields = Hash.new { |known, key| known[key] = FieldChange.new }
          changes.each do |change|
            before = yield change.before
            after = yield change.after
            before.each { |key, tokens| fields[key].remove(change.number, tokens) if after[key] != tokens }
            after.each { |key, tokens| fields[key].add(change.number, tokens) if before[key] != tokens }
          end
          fields
        end
      end
    end
  end
end
