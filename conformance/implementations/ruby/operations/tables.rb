# frozen_string_literal: true

# Whole tables as digests, block by block, so that one wrong row is noticed and its block named (TXT-1 … TXT-8).

require "digest"

module Conformance
  # What the operations over whole tables share.
  module Tables
    # Code points in a block.
    BLOCK = 256
    # Hex digits of a digest.
    DIGITS = 16
    SURROGATES = (0xD800..0xDFFF)
    HAN = (HybridSearch::Text::HiddenMarkovModel::FIRST..HybridSearch::Text::HiddenMarkovModel::LAST)
    # jieba's number for what never happens, as the gem's table has it: divided by 2^100.
    NEVER = -3.14e100 / (2.0**100)

    module_function

    # @return [HybridSearch::Segmenter] one without words of users
    def segmenter
      @segmenter ||= HybridSearch::Segmenter.new
    end

    # @param lines [Enumerable<String>]
    # @return [String] their digest, each ended by a line feed
    def digest(lines)
      Digest::SHA256.hexdigest(lines.map { |line| "#{line}\n" }.join)[0, DIGITS]
    end

    # @return [String] the 16 hex digits of a float
    def bits(value)
      [value].pack("G").unpack1("H*")
    end

    # @return [String] floats by their bits; `never` for what never happens
    def told(values)
      values.map { |value| value == NEVER ? "never" : bits(value) }.join(" ")
    end

    # @return [String] the name of the block of a code point
    def block(point)
      format("%06x", point / BLOCK * BLOCK)
    end

    # @return [Hash{String=>Array}] by the block of their first character, how many words there are, and the digest of
    #   what the block of code tells of them
    def blocks(words, &)
      # The order of UTF-8 is that of code points.
      words.sort.group_by { |word| word.ord / BLOCK }.to_h do |number, own|
        [block(number * BLOCK), [own.size, digest(own.map(&))]]
      end
    end

    # @return [Array<String>] every word of the dictionary and every prefix of one, read from its trie
    def nodes
      table = segmenter.dictionary.table
      (1...table.check.size).filter_map { |slot| spelt(table, slot) if inner?(table, slot) }
    end

    # @return [Boolean] whether a slot is a node: its parent is one and leads to it
    def inner?(table, slot)
      parent = table.check[slot]
      parent < table.base.size && slot >= table.base[parent]
    end

    # @return [String] the characters from the root to a slot
    def spelt(table, slot)
      points = []
      until slot.zero?
        parent = table.check[slot]
        points.unshift(slot - table.base[parent])
        slot = parent
      end
      points.pack("U*")
    end
  end
end

tables = Conformance::Tables

Conformance.operation("tables.normalized") do |params, _given, _trace|
  normalizer = HybridSearch::Text::Normalizer
  normalizer = normalizer.new if normalizer.is_a?(Class)
  (0...0x110000).step(tables::BLOCK).each_with_object({}) do |first, changed|
    next if tables::SURROGATES.cover?(first)

    text = [*first...(first + tables::BLOCK)].pack("U*")
    made = normalizer.public_send(params["step"], text)
    changed[tables.block(first)] = tables.digest([made]) unless made == text
  end
end

Conformance.operation("tables.stop_words") do |params, _given, _trace|
  words = HybridSearch::Text::StopWords.public_send(:"#{params["list"]}_words")
  { "count" => words.size, "digests" => words.each_slice(64).map { |slice| tables.digest(slice) } }
end

Conformance.operation("tables.dictionary") do |_params, _given, _trace|
  segmenter = tables.segmenter
  words = tables.nodes.select { |word| segmenter.frequency(word).positive? }
  tables.blocks(words) { |word| "#{word} #{segmenter.frequency(word)} #{segmenter.tag(word)}" }
end

Conformance.operation("tables.idf") do |_params, _given, _trace|
  table = HybridSearch::Text::IdfTable.shared
  others = table.instance_variable_get(:@others).keys
  words = (tables.nodes | others).reject { |word| table.idf(word) == table.median }
  { "median" => table.median, "blocks" => tables.blocks(words) { |word| "#{word} #{tables.bits(table.idf(word))}" } }
end

Conformance.operation("tables.hidden_markov_model") do |_params, _given, _trace|
  parameters = HybridSearch::Text::HiddenMarkovModel.parameters
  blocks = tables::HAN.each_slice(tables::BLOCK).to_h do |points|
    lines = points.map { |point| tables.told(parameters.emissions[4 * (point - tables::HAN.begin), 4]) }
    [tables.block(points.first), tables.digest(lines)]
  end
  start = parameters.start.values_at(0, 3)
  { "start" => tables.told(start), "steps" => tables.told(parameters.steps), "blocks" => blocks }
end

Conformance.operation("tables.pairs") do |params, given, _trace|
  characters = given["characters"].chars
  characters.map do |one|
    [one, tables.digest(characters.map { |other| tables.segmenter.cut(one + other, hmm: params["hmm"]).join(" ") })]
  end
end
