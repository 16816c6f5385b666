# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # What happens to a term.
      class TermChange
        include Base::ShortInspect

        # @return [Hash{Integer=>true}] the numbers of documents whose places go
        attr_reader :removed
        # @return [Array<Integer>] new places, ascending
        attr_reader :added
        # @return [Integer] how many documents more, or fewer, hold it
        attr_accessor :documents

        def initialize
          @removed = {}
          @added = []
          @documents = 0
        end
      end

      # What happens to a document.
      class Change
        include Base::ShortInspect

        # @return [Integer] its number
        attr_reader :number
        # @return [Documents::StoredDocument, nil] what is stored
        attr_reader :before
        # @return [Documents::StoredDocument, nil] what will be
        attr_reader :after

        def initialize(number, before, after)
          @number = number
          @before = before
          @after = after
          freeze
        end
      end

      # What happens to a field.
      class FieldChange
        include Base::ShortInspect

        # @return [Integer] how many documents more, or fewer, have it
        attr_reader :documents
        # @return [Integer] how many tokens they have more
        attr_reader :tokens
        # @return [Hash{String=>TermChange}] token → what happens to it
        attr_reader :terms
        # @return [Hash{Integer=>Integer, nil}] number → how many tokens the document has, nil without the field
        attr_reader :lengths

        def initialize
          @documents = 0
          @tokens = 0
          @terms = {}
          @lengths = {}
        end

        # A document no longer has the field with these tokens.
        #
        # @return [void]
        def remove(number, tokens)
          @documents -= 1
          @tokens -= tokens.size
          @lengths[number] = nil
          tokens.uniq.each do |token|
            change = term(token)
            change.removed[number] = true
            change.documents -= 1
          end
        end

        # A document has the field with these tokens.
        #
        # @return [void]
        def add(number, tokens)
          @documents += 1
          @tokens += tokens.size
          @lengths[number] = tokens.size
          tokens.uniq.each { |token| term(token).documents += 1 }
          tokens.each.with_index(number << Blobs::NUMBER_BITS) { |token, place| @terms[token].added << place }
        end

        private

        def term(token)
          @terms[token] ||= TermChange.new
        end
      end

      # What a batch does to the terms of a store that outlives a process (SQL-1, PG-1).
      module DocumentChanges
        module_function

        # @param batch [Array<Array(Documents::StoredDocument, Documents::StoredDocument)>] what each document was and
        #   will be, or nil
        # @param numbers [Hash{String=>Integer}] the ids and numbers of those that are stored
        # @yieldparam count [Integer]
        # @yieldreturn [Array<Integer>] so many numbers for new documents
        # @return [Array<Change>] the changes in the order of their numbers
        def numbered(batch, numbers)
          fresh = yield(batch.count { |before, _| before.nil? }).each
          changes = batch.map do |before, after|
            Change.new(before ? numbers.fetch(before.identifier) : fresh.next, before, after)
          end
          changes.sort_by(&:number)
        end

        # @param changes [Array<Change>] in ascending order of their numbers
        # @yieldparam document [Documents::StoredDocument, nil]
        # @yieldreturn [Hash{Object=>Array<String>}] the tokens of a document in each of its fields; none for no
        #   document
        # @return [Hash{Object=>FieldChange}] what happens to each field whose tokens change
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
