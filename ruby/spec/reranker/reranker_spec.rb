# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Reranker do
  subject(:reranker) { described_class.new(reader) }

  let(:reader) do
    Class.new do
      def build_text_query(_question)
        [nil, ["a"]]
      end

      def token_similarity(_query_tokens, docs_tokens)
        docs_tokens.map { |tokens| tokens.include?("a") ? 1.0 : 0.0 }
      end
    end.new
  end

  let(:result) do
    fields = %w[a b c].each_with_index.to_h { |id, place| [id, { "content_ltks" => id, "q_2_vec" => [1.0, place] }] }
    HybridSearch::AdapterKit::SearchResult.new(total: 3, ids: fields.keys, fields:, query_vector: [1.0, 2.0])
  end

  it "accepts a callable as a model" do
    outcome = reranker.rerank_by_model(->(_query, _texts) { [0.0, 0.5, 1.0] }, result, "q", tkweight: 0, vtweight: 1)
    expect(outcome.similarity).to eq([0.0, 0.5, 1.0])
    expect(outcome.formula).to eq("model")
  end

  it "abandons a late model" do
    release = Thread::Queue.new
    outcome = reranker.rerank_by_model(->(_query, _texts) { release.pop }, result, "q", rerank_timeout: 0.1)
    release.close
    expect(outcome.similarity).to eq(reranker.rerank_by_hybrid(result, "q").similarity)
    expect(outcome.warnings).to eq(
      ["ranked without the rerank model: the rerank model gave no answer within 0.1 seconds"]
    )
  end

  it "refuses a value that is not a search result" do
    [nil, 5, { "ids" => [] }].each do |value|
      expect { reranker.rerank_by_hybrid(value, "q") }
        .to raise_error(HybridSearch::InvalidInputError, /result must be a SearchResult/)
    end
  end

  it "does not change its inputs, which are immutable" do
    reranker.rerank_by_hybrid(result, "q", rank_feature: { "x" => 1.0 }.freeze)
    expect(result.fields).to be_frozen
    expect(result.ids).to be_frozen
    expect(result.fields["b"]).to eq({ "content_ltks" => "b", "q_2_vec" => [1.0, 1] })
  end

  it "refuses deeply nested JSON without a recursion error" do
    expect(HybridSearch::Base::StrictJson.parse_object("{\"a\":#{"[" * 100_000}#{"]" * 100_000}}")).to be_nil
    expect(HybridSearch::Base::StrictJson.parse_object("{\"a\":" * 100_000)).to be_nil
  end
end
