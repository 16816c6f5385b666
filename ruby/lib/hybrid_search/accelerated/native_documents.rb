# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents of a store in memory, whose nearest vectors and best sums the native kernels find.
    class NativeDocumentIndex < FastDocumentIndex
      private

      def new_vectors(dimension)
        NativeDenseIndex.new(dimension)
      end

      def with_sums
        yield NativeSums.new(@table.living.limit)
      end
    end

    # The documents of an index file, whose best sums the native kernels find.
    class NativeSqliteDocuments < SqliteDocuments
      private

      def index(tables, cache)
        NativeSqliteIndex.new(@bm25, tables, cache)
      end
    end

    # The documents of one state of an index file.
    class NativeSqliteIndex < SqliteIndex
      private

      def new_sums
        NativeSums.new(@tables.numbers)
      end
    end

    # The documents of a collection in PostgreSQL, whose best sums the native kernels find.
    class NativePostgresDocuments < PostgresDocuments
      private

      def index(tables, cache)
        NativePostgresIndex.new(@bm25, tables, cache, @approximate)
      end
    end

    # The documents of one state of a collection.
    class NativePostgresIndex < PostgresIndex
      private

      def new_sums
        NativeSums.new(@tables.numbers)
      end
    end
  end
end
