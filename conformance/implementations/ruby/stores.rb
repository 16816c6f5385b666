# frozen_string_literal: true

require "tmpdir"

module Conformance
  # The stores that operations fill: in memory, or files where `CONFORMANCE_STORE` is "sqlite".
  module Stores
    VARIABLE = "CONFORMANCE_STORE"

    @places = 0

    module_function

    # @return [HybridSearch::DocStoreAdapter] an empty store; one in memory where options are to be refused, which are
    #   its own
    def store(**options)
      return HybridSearch::MemoryDocStore.new(**options) unless in_files? && (options.keys - %i[bm25 kernels]).empty?

      HybridSearch::SqliteDocStore.new(path, synchronous: "normal", **options)
    end

    # @return [Hash] the options that give an `Index` such a store
    def of_index
      in_files? ? { path: } : {}
    end

    def in_files?
      ENV[VARIABLE] == "sqlite"
    end

    def path
      @folder ||= Dir.mktmpdir.tap { |folder| at_exit { FileUtils.remove_entry(folder) } }
      @places += 1
      File.join(@folder, "#{@places}.hsx")
    end
  end
end
