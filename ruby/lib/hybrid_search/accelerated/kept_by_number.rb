# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of values of documents by their numbers, in one state of the tables (SQL-5, PG-5).
    #
    # All states share the values of the documents that have not changed since the first of them. Each state has the
    # values of the other documents for itself, so a change costs only these, however many values are cached. Several
    # threads may use it at once without a lock.
    class KeptByNumber
      include Base::ShortInspect

      # The maximum number of changed documents whose values a state has for itself; with more, sharing begins again.
      MOST_CHANGED = Stores::Tables::DocumentChanges::MOST_TOUCHED

      def initialize
        @shared = {}
        @changed = {}
        @own = {}
      end

      # @param number [Integer]
      # @return [Object, nil] the value of a document; nil if it is not cached
      def find(number)
        (@changed.key?(number) ? @own : @shared)[number]
      end

      # @param numbers [Array<Integer>]
      # @return [Hash{Integer=>Object}] number → value, of those documents whose values are cached
      def found(numbers)
        numbers.each_with_object({}) do |number, found|
          value = find(number)
          found[number] = value if value
        end
      end

      # @return [Hash{Integer=>Object}] number → value, of all documents whose values are cached
      def all
        shared = @shared.dup
        @changed.each_key { |number| shared.delete(number) }
        shared.merge(@own)
      end

      # Cache the value of a document.
      #
      # @param number [Integer]
      # @param value [Object]
      # @return [void]
      def keep(number, value)
        (@changed.key?(number) ? @own : @shared)[number] = value
      end

      # @param touched [Array<Integer>] the numbers of the documents that have changed since
      # @return [KeptByNumber] the values of the unchanged documents, for a later state
      def after(touched)
        touched.each { |number| @shared.delete(number) } # searches that still run in this state read it again
        dup.tap { |later| later.change(touched) }
      end

      protected

      def change(touched)
        @changed = @changed.merge(touched.to_h { |number| [number, true] })
        @own = @own.dup
        touched.each { |number| @own.delete(number) }
        return if @changed.size <= MOST_CHANGED

        @shared = all
        @changed = {}
        @own = {}
      end
    end
  end
end
