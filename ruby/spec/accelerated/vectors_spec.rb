# frozen_string_literal: true

# Products and cosines are those of the plain forms (NUM-2, NUM-3, NUM-4, RNK-1).
RSpec.describe HybridSearch::Accelerated::FastVectorSimilarity do
  def similarities(kernel, vectors, query, **options)
    fields = vectors.each_with_index.to_h { |vector, place| ["d#{place}", { "q_#{query.size}_vec" => vector }] }
    reader = HybridSearch::Stores::Documents::StoredFields.new
    found = HybridSearch::AdapterKit::SearchResult.new(
      total: fields.size, ids: fields.keys, fields:, query_vector: query, **options
    )
    [kernel.similarities(found, query, reader), reader.warnings]
  end

  it "treats odd vectors and components as the plain form does" do
    odd = [true, 1, 2**70, "1", nil, Float::NAN, Float::INFINITY, 1e308, 5e-324, -0.0, [1.0], Rational(1, 3)]
    query = [0.25, -1.5, 3.0, 0.125]
    vectors = odd.flat_map { |one| [[0.5, one, -0.75, 2.5], [one] * 4] }
    vectors += [nil, [], [1.0] * 3, [1.0] * 5, "1\t2\t3\t4", 7, [0.0] * 4]
    found = Signatures.wrong { similarities(described_class, vectors, query) }
    expect(found)
      .to eq(Signatures.wrong { similarities(HybridSearch::Rerankers::VectorSimilarity, vectors, query) })
  end

  it "uses the cosines that the dense leg computed for the same vector" do
    scores = HybridSearch::Stores::DenseScores.new([1.0, 2.0], { "d0" => 0.5 })
    rows = [[1.0, 2.0], [2.0, 1.0]]
    expect(similarities(described_class, rows, [1.0, 2.0], dense_scores: scores)[0][0]).to eq(0.5)
    expect(similarities(described_class, rows, [2.0, 2.0], dense_scores: scores))
      .to eq(similarities(HybridSearch::Rerankers::VectorSimilarity, rows, [2.0, 2.0]))
  end
end
