# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # A block of candidates after reranking, and the hits made from it (RET-5).
    class RankedBlock
      include Base::ShortInspect

      # @return [Recalled] the candidates, in the order of recall
      attr_reader :recalled
      # @return [Reranker::RerankOutcome] their scores, in the same order
      attr_reader :outcome
      # @return [Array<Integer>] the positions of the candidates that reach the threshold, best first
      attr_reader :order
      # @return [Integer] the position of the block's first candidate among all
      attr_reader :first

      def initialize(recalled, outcome, order, first = 0)
        @recalled = recalled
        @outcome = outcome
        @order = order.freeze
        @first = first
        freeze
      end

      # @return [Array<RankedEntry>] the candidates that reach the threshold, best first
      def entries
        order.map { |index| RankedEntry.new(self, index) }
      end

      # @return [Chunk] the hit at a position of the block
      def chunk(index, highlight)
        id = outcome.ids[index]
        fields = recalled.result.fields_of(id)
        content = text(fields, "content_with_weight")
        Chunk.new(
          chunk_id: id,
          doc_id: text(fields, "doc_id"),
          docnm_kwd: text(fields, "docnm_kwd"),
          kb_id: text(fields, "kb_id"),
          content_ltks: text(fields, "content_ltks"),
          content_with_weight: content,
          important_kwd: list(fields, "important_kwd"),
          positions: list(fields, "position_int"),
          similarity: outcome.similarity[index],
          term_similarity: outcome.term_similarity[index],
          vector_similarity: outcome.vector_similarity[index],
          rank_feature: outcome.rank_feature[index],
          highlight: highlight ? recalled.result.highlight.fetch(id, content) : nil,
          metadata: object(fields, "metadata")
        )
      end

      # @return [Array<String>] name and id of the document that contains the candidate at a position
      def document(index)
        fields = recalled.result.fields_of(outcome.ids[index])
        [text(fields, "docnm_kwd"), text(fields, "doc_id")]
      end

      private

      def text(fields, name)
        value = fields[name]
        value.is_a?(::String) ? value : ""
      end

      def list(fields, name)
        value = fields[name]
        return [value] if value.is_a?(::String)

        value.is_a?(::Array) ? value : []
      end

      def object(fields, name)
        value = fields[name]
        value.is_a?(::Hash) ? value : {}
      end
    end

    # A candidate that reaches the threshold: a position of a ranked block.
    class RankedEntry
      include Base::ShortInspect

      # @return [RankedBlock]
      attr_reader :block
      # @return [Integer]
      attr_reader :index

      # Return the number of entries of each document, by count descending, then name.
      #
      # As in RAGFlow, a document is identified by its name; its id is that of its best entry.
      #
      # @param entries [Array<RankedEntry>]
      # @return [Array<Hash{String=>Object}>]
      def self.document_counts(entries)
        counts = {}
        entries.each do |entry|
          name, doc_id = entry.block.document(entry.index)
          counted = (counts[name] ||= [doc_id, 0])
          counted[1] += 1
        end
        ordered = counts.sort_by { |name, (_, count)| [-count, name] }
        ordered.map { |name, (doc_id, count)| { "doc_name" => name, "doc_id" => doc_id, "count" => count } }
      end

      def initialize(block, index)
        @block = block
        @index = index
        freeze
      end

      # @return [Hash{String=>Object}] the fetched fields of the document
      def fields
        block.recalled.result.fields.fetch(block.outcome.ids[index])
      end

      # @return [Chunk] the hit
      def chunk(highlight)
        block.chunk(index, highlight)
      end
    end

    # The entries of blocks that were ranked one after another; summaries of all of them are computed once.
    class RankedEntries
      include Base::ShortInspect

      # @return [Array<RankedBlock>] the ranked blocks, at least one
      attr_reader :blocks
      # @return [Array<RankedEntry>] the entries of all blocks, in their order
      attr_reader :entries

      def initialize(blocks, entries)
        @blocks = blocks
        @entries = entries
      end

      # @return [Array<Hash{String=>Object}>] the number of entries of each document, see {RankedEntry.document_counts}
      def document_counts
        @document_counts ||= RankedEntry.document_counts(entries)
      end

      # @return [Array<String>] the warnings of the blocks, each once
      def warnings
        @warnings ||= blocks.flat_map { |block| block.outcome.warnings }.uniq
      end
    end
  end
end
