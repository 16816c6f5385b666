# frozen_string_literal: true

require "spec_helper"
require "tmpdir"

RSpec.describe HybridSearch::ConvergentRetriever do
  let(:blocks) { Array.new(6) { |row| { "file_path" => "f#{row % 3}.py", "start_line" => row, "end_line" => row } } }
  let(:vectors) { Array.new(6) { |row| [1.0, row / 8.0, 0.25] } }
  let(:index) { HybridSearch::BlockIndex.new(blocks, vectors, repo_name: "repo") }
  let(:query) { [0.5, 0.75, -0.25] }

  it "ranks as plain dense retrieval does if everything is off, bit for bit" do
    scored = vectors.each_with_index.map { |vector, row| [row, HybridSearch::Base::Numeric.dot(query, vector)] }
    expected = scored.sort_by { |row, score| [-score, row] }
    %w[plain fast].each do |kernels|
      candidates = described_class.new(index, kernels:, top_k_blocks: 4).retrieve_candidates(query)
      expect(candidates.blocks).to eq(expected.first(4))
      expect(candidates.stop_reason).to be_nil
    end
  end

  it "returns the same results to many threads as to one" do
    retriever = described_class.new(index, convergence_mode: "prf", top_k_blocks: 3)
    queries = Array.new(12) { |place| [1.0, place / 4.0, -0.5] }
    alone = queries.map { |one| described_class.new(index, convergence_mode: "prf", top_k_blocks: 3).locate("q", one) }
    together = queries.map { |one| Thread.new { retriever.locate("q", one) } }.map(&:value)
    expect(together.map(&:to_h)).to eq(alone.map(&:to_h))
  end

  # A model that has its own time limit and truncates texts.
  let(:limited) do
    Class.new do
      attr_reader :asked

      def initialize
        @asked = []
      end

      def truncate(text, tokens)
        text[0, tokens]
      end

      def similarity(_query, _texts)
        raise "not within a time"
      end

      def limited_to(seconds)
        lambda do |_query, texts|
          @asked << [seconds, texts]
          Array.new(texts.size, 0.5)
        end
      end
    end.new
  end

  it "makes a model truncate texts within its time limit" do
    Dir.mktmpdir do |root|
      FileUtils.mkdir_p(File.join(root, "repo"))
      3.times { |number| File.write(File.join(root, "repo/f#{number}.py"), "x = 1\n" * 6) }
      located = described_class.new(index, rerank_model: limited, repos_root: root, enable_rerank: true,
                                           rerank_max_length: 11, rerank_timeout: 7).locate("q", query)
      expect(located.rerank_status).to eq("applied")
      expect(limited.asked.map(&:first)).to eq([7.0])
      expect(limited.asked.flat_map(&:last).uniq).to contain_exactly("File: f0.py", "File: f1.py", "File: f2.py")
    end
  end

  it "prints itself in one line, and its index too" do
    expect(described_class.new(index).inspect).not_to include("\n")
    expect(described_class.new(index).inspect.length).to be < 200
    expect(index.inspect).to include("repo", "6", "3")
  end
end
