# frozen_string_literal: true

require "spec_helper"
require "tmpdir"

RSpec.describe HybridSearch::Index do
  it "names a record by its position in a stream" do
    records = Enumerator.new do |stream|
      600.times { |place| stream << (place == 499 ? { id: "499" } : { id: place.to_s, content: "x" }) }
    end
    index = described_class.new
    expect { index.add(records, batch_size: 256) }
      .to raise_error(HybridSearch::InvalidInputError, "records[499] has no content")
    expect(index.count).to eq(256)
    expect { index.add([{ id: "600", content: "x" }, { id: "7", content: "x" }].each, batch_size: 1) }
      .to raise_error(HybridSearch::InvalidInputError, 'records[1].id "7" is already stored; use update or upsert')
  end

  it "refuses a path that is not set" do
    [nil, "", "a\0b"].each do |path|
      expect { described_class.open(path) }
        .to raise_error(HybridSearch::InvalidInputError, /\Apath must be the path of a file, not /)
    end
  end

  it "creates no file if an option is wrong" do
    wrong = [{ title_weight: 2 }, { any_vectors: 1 }, { max_results: 0 }, { cursor_secret: 5 },
             { ranking_cache: 5 }, { kernels: "slow" }, { limit: 0 }, { candidates: 0 }, { profile: "none" },
             { observer: 5 }, { max_question_length: 0 }]
    Dir.mktmpdir do |folder|
      wrong.each do |options|
        expect { described_class.new(path: File.join(folder, "new.hsx"), **options) }
          .to raise_error(HybridSearch::InvalidInputError, /#{options.keys[0]}/)
      end
      expect(Dir.children(folder)).to eq([])
    end
  end

  it "uses the embedding that a file states, unless one is passed" do
    Dir.mktmpdir do |folder|
      path = File.join(folder, "a.hsx")
      hashing = HybridSearch::HashingEmbedder.new(dimension: 32)
      described_class.open(path, embedding: hashing) { |index| index.add([{ id: "1", content: "red wine" }]) }
      described_class.open(path) do |index|
        found = index.search("red wine")
        expect([found.warnings, found[0].scores.cosine.positive?]).to eq([[], true])
      end
      described_class.open(path, embedding: nil) do |index|
        expect(index.search("red wine").warnings)
          .to eq(["the text alone is searched, as there is no embedding: 1 of 1 documents have a vector in q_32_vec " \
                  'by the model "hashing-32"'])
      end
    end
  end

  it "states no embedding if records have their own vectors" do
    Dir.mktmpdir do |folder|
      path = File.join(folder, "own.hsx")
      described_class.open(path) { |index| index.add([{ id: "1", content: "red wine", vector: [1, 0, 0] }]) }
      described_class.open(path) do |index|
        expect(index.search("wine").warnings[0]).to end_with("1 of 1 documents have a vector in q_3_vec")
        expect(index.stats["vectors"]["q_3_vec"]["origin"]).to eq("records")
      end
      expect { described_class.open(path, embedding: HybridSearch::HashingEmbedder.new) }
        .to raise_error(HybridSearch::InvalidInputError, /3 components, not 256 by the model "hashing-256"/)
    end
  end

  describe "its profile" do
    let(:records) do
      [{ id: "pears", content: "green pears", keywords: ["fruit"] },
       { id: "fruit", content: "red fruit and red wine" },
       { id: "wine", content: "Rotwein" }]
    end
    let(:embedding) { HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension: 32)) }
    # A store that promises nothing about the scores of texts.
    let(:inexact) { Class.new(HybridSearch::MemoryDocStore) { def exact_text? = false } }

    def ranked(index, **options)
      index.search("fruit wine", **options).map { |hit| [hit.id, hit.score] }
    end

    it "is balanced if the store scores texts exactly, and that of a retriever is RAGFlow's" do
      stores = [HybridSearch::MemoryDocStore.new, inexact.new]
      exact, other = stores.map { |store| described_class.new(store:, embedding:) }
      [exact, other].each { |index| index.add(records) }
      balanced, ragflow = %w[balanced ragflow].map { |profile| ranked(exact, profile:) }
      expect(balanced.size).to eq(3)
      expect(balanced).not_to eq(ragflow)
      expect([ranked(exact), ranked(other)]).to eq([balanced, ragflow])
      retriever = HybridSearch::Retriever.new(exact.store, HybridSearch::QueryBuilder.new, embedding)
      found = retriever.retrieve("fruit wine").map { |chunk| [chunk.chunk_id, chunk.similarity] }
      expect(found).to eq(ragflow)
      expect { described_class.new(store: inexact.new, profile: "balanced") }
        .to raise_error(HybridSearch::InvalidInputError,
                        'text_leg "bm25f" needs a store that takes bags of tokens; take profile "ragflow" or "dify"')
    end

    %w[ragflow balanced dify].each do |profile|
      it "is chosen by the reader of a file, not by its writer: #{profile}" do
        Dir.mktmpdir do |folder|
          path = File.join(folder, "made_before.hsx")
          answered = described_class.open(path, profile:, embedding:) do |made|
            made.add(records)
            %w[balanced ragflow].to_h { |name| [name, ranked(made, profile: name)] }
          end
          described_class.open(path, embedding:) do |index|
            expect(ranked(index)).to eq(answered["balanced"])
            expect(ranked(index, profile: "ragflow")).to eq(answered["ragflow"])
          end
        end
      end
    end
  end
end
