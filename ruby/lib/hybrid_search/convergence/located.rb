# frozen_string_literal: true

module HybridSearch
  class ConvergentRetriever
    # A block of the result (CNV-5).
    class LocatedBlock
      include Base::Value

      # @return [Integer] its number in the index
      attr_reader :row
      # @return [Integer] 0 if the model scored it, else 1
      attr_reader :tier
      # @return [Float] its score within its tier
      attr_reader :score
      # @return [Float] the score of the first stage
      attr_reader :stage1_score

      def initialize(row:, tier:, score:, stage1_score:)
        @row = row
        @tier = tier
        @score = score
        @stage1_score = stage1_score
        freeze
      end
    end

    # The blocks after the second stage (CNV-5).
    class RankedBlocks
      include Base::Value

      # @return [Array<LocatedBlock>] best first
      attr_reader :blocks
      # @return [String] "off", "applied", "skipped" or "failed"
      attr_reader :rerank_status
      # @return [Array<String>] readable texts about steps that continued without the model
      attr_reader :warnings

      def initialize(blocks:, rerank_status: "off", warnings: [])
        @blocks = blocks.dup.freeze
        @rerank_status = rerank_status
        @warnings = warnings.dup.freeze
        freeze
      end
    end

    # The location of the answer in the code (CNV-6).
    class Located
      include Base::Value

      # @return [Array<String>] paths, best first
      attr_reader :found_files
      # @return [Array<String>] `path:name` of classes, and of functions that are not in a class
      attr_reader :found_modules
      # @return [Array<String>] `path:name` of functions and methods
      attr_reader :found_entities
      # @return [Array<LocatedBlock>] the blocks from which these were derived, best first
      attr_reader :blocks
      # @return [Array<Round>] the rounds that produced them
      attr_reader :rounds
      # @return [String, nil] the reason for the end of the rounds; nil for a single round without convergence
      attr_reader :stop_reason
      # @return [String] "off", "applied", "skipped" or "failed"
      attr_reader :rerank_status
      # @return [Array<String>] readable texts about steps that continued without the model
      attr_reader :warnings

      def initialize(found_files:, found_modules:, found_entities:, blocks:, rounds:, stop_reason:, rerank_status:,
                     warnings:)
        @found_files = found_files.dup.freeze
        @found_modules = found_modules.dup.freeze
        @found_entities = found_entities.dup.freeze
        @blocks = blocks
        @rounds = rounds
        @stop_reason = stop_reason
        @rerank_status = rerank_status
        @warnings = warnings
        freeze
      end

      # @return [Hash{String=>Object}] the members of a line of `loc_outputs.jsonl`
      def to_h
        { "found_files" => found_files, "found_modules" => found_modules, "found_entities" => found_entities,
          "raw_output_loc" => [] }
      end
    end
  end
end
