# frozen_string_literal: true

module HybridSearch
  module Converging
    # Maps blocks to what they are part of: files, modules, entities (CNV-6).
    class Locations
      include ShortInspect

      # @param index [BlockIndex] the blocks
      # @param settings [Settings] CNV-2
      def initialize(index, settings)
        @index = index
        @settings = settings
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the best files; those with a block that the model scored come first, by these blocks
      #   alone
      def files(blocks)
        scored, rest = blocks.partition { |block| block.tier.zero? }
        first = ranked(scored.map { |block| [block.row, block.score] })
        files = first.to_h { |file| [file, true] }
        others = rest.reject { |block| files.key?(@index.file(block.row)) }
        found = first + ranked(others.map { |block| [block.row, block.stage1_score] })
        Slices.head(found, @settings["top_k_files"])
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the outermost classes and functions that blocks overlap, by first appearance
      def modules(blocks)
        found = definitions(blocks).map { |file, _, each| "#{file}:#{each.qualified_name.split(".", -1).first}" }
        Slices.head(found.uniq, @settings["top_k_modules"])
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the functions and methods that blocks overlap, and the classes without such, by first
      #   appearance
      def entities(blocks)
        found = definitions(blocks).filter_map do |file, block, each|
          "#{file}:#{each.qualified_name}" if each.kind != Definition::CLASS || !method?(block, each)
        end
        Slices.head(found.uniq, @settings["top_k_entities"])
      end

      private

      def ranked(blocks)
        files = blocks.map { |row, score| [@index.file(row), score] }
        FileScores.new(@settings["file_score_agg"]).rank(files).map(&:first)
      end

      def definitions(blocks)
        blocks.flat_map do |each|
          file = @index.file(each.row)
          block = @index.blocks[each.row]
          next [] if file.nil?

          ordered = block.definitions.each_with_index.sort_by { |one, place| [one.start_line, place] }
          ordered.map { |one, _| [file, block, one] }
        end
      end

      # Whether a method of a class overlaps the block too.
      def method?(block, owner)
        block.definitions.any? do |each|
          each.kind == Definition::FUNCTION && each.qualified_name.rpartition(".").first == owner.qualified_name
        end
      end
    end
  end
end
