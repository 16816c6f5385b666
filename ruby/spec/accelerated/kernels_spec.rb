# frozen_string_literal: true

RSpec.describe HybridSearch::Base::Kernels do
  around do |example|
    before = ENV.fetch(described_class::VARIABLE, nil)
    example.run
  ensure
    ENV[described_class::VARIABLE] = before
  end

  def with_native(found)
    allow(described_class).to receive(:find_native).and_return(found)
  end

  it "chooses native kernels if their gem is installed" do
    with_native(Module.new)
    ENV.delete(described_class::VARIABLE)
    expect([described_class.choice, described_class.choice("native")]).to eq(%w[native native])
    ENV[described_class::VARIABLE] = "fast"
    expect(described_class.choice).to eq("fast")
    expect(described_class.kernel("analyzer", "native")).to be(described_class.kernel("analyzer", "fast"))
    expect(described_class.kernel("document_index", "native")).not_to be(
      described_class.kernel("document_index", "fast")
    )
  end

  it "refuses native kernels if their gem is missing" do
    with_native(nil)
    [HybridSearch::Segmenter.method(:new), HybridSearch::Index.method(:new)].each do |build|
      expect { build.call(kernels: "native") }.to raise_error(
        HybridSearch::ConfigurationError, /hybrid_search-native .*\(gem install hybrid_search-native\)/
      )
    end
  end

  it "chooses fast kernels by default, unless the environment or the caller chooses others" do
    with_native(nil)
    ENV.delete(described_class::VARIABLE)
    expect([described_class.choice, described_class.choice("plain")]).to eq(%w[fast plain])
    ENV[described_class::VARIABLE] = "plain"
    expect([described_class.choice, described_class.choice("fast")]).to eq(%w[plain fast])
    ENV[described_class::VARIABLE] = "fest"
    expect { HybridSearch::Segmenter.new }.to raise_error(
      HybridSearch::ConfigurationError,
      'HYBRID_SEARCH_KERNELS: unknown kernels "fest"; did you mean "fast"? Known: plain, fast, native'
    )
  end

  it "refuses unknown kernels" do
    [HybridSearch::Segmenter.method(:new), HybridSearch::Index.method(:new)].each do |build|
      expect { build.call(kernels: "plan") }.to raise_error(
        HybridSearch::InvalidInputError, 'unknown kernels "plan"; did you mean "plain"? Known: plain, fast, native'
      )
    end
  end

  it "has the methods of the plain form in each fast form" do
    described_class::OPERATIONS.each_key do |operation|
      plain, fast = described_class::INCLUDED.map { |kernels| described_class.kernel(operation, kernels) }
      expect(fast).not_to be(plain)
      names = plain.is_a?(Class) ? plain.public_instance_methods(false) : plain.singleton_methods
      names = names.grep_v(/__with/) # added by the check of signatures
      expect(names).not_to be_empty
      expect(names - (fast.is_a?(Class) ? fast.public_instance_methods : fast.singleton_methods)).to eq([])
    end
  end

  it "returns the same results with both" do
    words = %w[规则 引擎 rule 6-2-1 MISRA C++ 赋值 运算符 杭研 table 的 expressions]
    draw = Random.new(8)
    records = Array.new(24) do |number|
      { id: format("%03d", number), title: words.sample(random: draw),
        content: Array.new(9) { words.sample(random: draw) }.join(" ") }
    end
    questions = Array.new(4) { Array.new(3) { words.sample(random: draw) }.join(" ") }
    plain, fast = described_class::INCLUDED.map do |kernels|
      index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 32), kernels:)
      index.add(records)
      questions.map do |question|
        index.search(question, limit: 20).map { |hit| [hit.id, hit.score] }
      end
    end
    expect(fast).to eq(plain)
    expect(plain.flatten).not_to be_empty
  end
end
