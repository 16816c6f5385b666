# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Maps blocks to the files, modules and entities that contain them (CNV-6).
    class Locations
      include Base::ShortInspect

      # @param index [BlockIndex] the blocks
      # @param settings [Settings] the parameters (CNV-2)
      def initialize(index, settings)
        @index = index
        @settings = settings
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the best files; files with blocks that the model scored come first, by these blocks only
      def files(blocks)
        scored, rest = blocks.partition { |block| block.tier.zero? }
        first = ranked(scored.map { |block| [block.row, block.score] })
        files = first.to_h { |file| [file, true] }
        others = rest.reject { |block| files.key?(@index.file(block.row)) }
        found = first + ranked(others.map { |block| [block.row, block.stage1_score] })
        Base::Slices.head(found, @settings["top_k_files"])
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the classes, and the functions outside classes, that the lines of the blocks belong to
      def modules(blocks)
        found = names(blocks).flat_map { |file, names| names.modules.sort.map { |name| "#{file}:#{name}" } }
        Base::Slices.head(found.uniq, @settings["top_k_modules"])
      end

      # @param blocks [Array<ConvergentRetriever::LocatedBlock>]
      # @return [Array<String>] the functions and methods that the lines of the blocks belong to
      def entities(blocks)
        found = names(blocks).flat_map { |file, names| names.entities.sort.map { |name| "#{file}:#{name}" } }
        Base::Slices.head(found.uniq, @settings["top_k_entities"])
      end

      private

      def ranked(blocks)
        files = blocks.map { |row, score| [@index.file(row), score] }
        FileScores.new(@settings["file_score_agg"]).rank(files).map(&:first)
      end

      # Return the names of each block, grouped by file; files in the order of their first block.
      def names(blocks)
        files = blocks.group_by { |each| @index.file(each.row) }
        files.except(nil).flat_map do |file, of_file|
          of_file.map { |each| [file, BlockNames.new(@index.blocks[each.row])] }
        end
      end
    end
  end
end
