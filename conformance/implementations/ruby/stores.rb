# frozen_string_literal: true

require "securerandom"
require "tmpdir"

module Conformance
  # The stores that operations fill: in memory; where `CONFORMANCE_STORE` is "sqlite", files; where it is "postgres",
  # collections of the database that `HYBRID_SEARCH_POSTGRES_URL` names.
  module Stores
    VARIABLE = "CONFORMANCE_STORE"
    ADDRESS = "HYBRID_SEARCH_POSTGRES_URL"

    @places = 0

    module_function

    # @return [HybridSearch::DocStoreAdapter] an empty store; one in memory where options are to be refused, which are
    #   its own
    def store(**options)
      own = (options.keys - %i[bm25 kernels]).empty? ? ENV.fetch(VARIABLE, nil) : nil
      case own
      when "sqlite" then HybridSearch::SqliteDocStore.new(path, synchronous: "normal", **options)
      when "postgres" then collection(**options)
      else HybridSearch::MemoryDocStore.new(**options)
      end
    end

    # @return [Hash] the options that give an `Index` such a store
    def of_index
      case ENV.fetch(VARIABLE, nil)
      when "sqlite" then { path: }
      when "postgres" then { store: collection }
      else {}
      end
    end

    # An empty collection, which is removed at the end.
    def collection(**options)
      made = HybridSearch::PostgresDocStore.new(connection, collection: "conformance_#{SecureRandom.hex(16)}", **options)
      at_exit { made.drop }
      made
    end

    # One for all collections, of which there are more than a server has connections.
    def connection
      @connection ||= begin
        require "pg"
        PG.connect(ENV.fetch(ADDRESS)).tap { |made| made.set_notice_processor { nil } }
      end
    end

    def path
      @folder ||= Dir.mktmpdir.tap { |folder| at_exit { FileUtils.remove_entry(folder) } }
      @places += 1
      File.join(@folder, "#{@places}.hsx")
    end
  end
end
