# frozen_string_literal: true

module HybridSearch
  module Cli
    # Reads the mapping of `--map` (CUR-5).
    module MappingFlags
      module_function

      # @param pairs [Array<String>] texts of the form `key=source`, from `--map`
      # @return [Hash{String=>String}] the source of each key
      # @raise [UsageError] a text without this form, an unknown key, or a key given twice
      def of_flags(pairs)
        sources = {}
        pairs.each do |pair|
          key, _, source = pair.partition("=")
          if key.empty? || source.empty?
            raise UsageError, "--map must be KEY=NAME, not #{Base::Validation.describe(pair)}"
          end

          own = key.start_with?("#{Records::RecordMapping::METADATA}.")
          Base::Validation.known("key of --map", [key], DocumentBuilder::RECORD_KEYS) unless own
          raise UsageError, "--map gives #{key} twice" if sources.key?(key)

          sources[key] = source
        end
        sources
      end
    end
  end
end
