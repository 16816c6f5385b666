# frozen_string_literal: true

# The document that contains exactly the identifier of a question is first in every order of documents (QRY-11).
RSpec.describe HybridSearch::Index do
  rules = %w[6-2-1 2-6-1 1-2-6 6-1-2 6-2-11 16-2-1 6-2-10]
  questions = ["6-2-1", "Rule 6-2-1", "规则 6-2-1 赋值运算符 怎么修改"]
  ways = [{}, { fusion: "min_max" }, { profile: "dify" }]

  def filled(records, dimension, options)
    embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
    described_class.new(embedding:, **options).tap { |index| index.add(records) }
  end

  def found(question, records, dimension, options)
    filled(records, dimension, options).search(question).map(&:id)
  end

  ways.product([nil, 256, 1024]).each do |options, dimension|
    it "finds the requested rule first in every order: #{options}, #{dimension.inspect}", unchecked: "63 searches" do
      rules.size.times do |turn|
        turned = rules.rotate(turn)
        records = turned.each.with_index(1).map do |rule, place|
          { id: place.to_s, content: "Rule #{rule} 赋值运算符 第#{place}条" }
        end
        asked = (turned.index("6-2-1") + 1).to_s
        # Near vectors of texts with other digits may cause a tie by ranks.
        places = options[:profile] && dimension ? 3 : 1
        index = filled(records, dimension, options)
        questions.each { |question| expect(index.search(question).map(&:id).first(places)).to include(asked) }
      end
    end
  end

  {
    "R1-750" => "750 与 R1", "C++" => "C#", "C#" => "C++", "3.14" => "14.3", "getUserName" => "get a user a name",
    "foo_bar" => "bar_foo", "v2.1.3" => "v3.1.2", "iso-26262-6:2018" => "iso-2018-6:26262",
    "src/rank/sort.py" => "sort/rank/src.py", "/usr/local/bin" => "/usr/bin/local",
    "joe.black@example.com" => "black.joe@example.com"
  }.each do |written, other|
    it "ranks parts in another order after the whole identifier: #{written}", unchecked: "24 searches" do
      ways.product([nil, 256], [%w[a b], %w[b a]]).each do |options, dimension, ids|
        records = ids.zip([written, other]).map { |id, text| { id:, content: "See #{text}." } }
        index = filled(records, dimension, options)
        [written, "怎么修改 #{written} 这个"].each { |question| expect(index.search(question).first.id).to eq(ids[0]) }
      end
    end
  end

  %i[keywords questions].product(ways).each do |key, options|
    it "puts a document first by identifiers in its #{key}: #{options}" do
      [%w[a b], %w[b a]].each do |ids|
        records = ids.zip(%w[6-2-1 2-6-1]).map { |id, rule| { id:, content: "赋值运算符", key => [rule] } }
        records << { id: "c", content: "赋值运算符 1 2 6" }
        expect(found("6-2-1", records, nil, options).first).to eq(ids[0])
      end
    end
  end

  # The examples of docs/keywords.md: a question, a text, and whether the question finds the text.
  [
    ["6", "6-2-1", true],
    ["R1", "R1-750", true],
    ["foo", "foo_bar", true],
    ["v2.1", "v2.1.3", true],
    ["C", "C++", false],
    ["C", "C#", false],
    ["14", "3.14", false],
    ["50%", "50", true],
    ["50", "50%", false],
    ["MISRAC++", "MisraC++", true],
    ["misra", "MisraC++", true],
    ["C++", "MisraC++", true],
    ["getusername", "getUserName", true],
    ["user name", "getUserName", false],
    ["iso-26262-6", "iso-26262-6:2018", true],
    ["b.py", "src/a/b.py", true],
    ["usr/local/bin", "/usr/local/bin", true],
    ["b.txt", "C:\\a\\b.txt", true],
    ["example.com", "https://example.com/a?b=1", true],
    ["joe.b", "joe.b@example.com", true],
    ["example.com", "joe.b@example.com", true],
    ["6-2-1", "Rule:6-2-1", true],
    ["R1-751", "R1-750/R1-751", true],
    ["C++", "C/C++", true],
    ["1234.5", "1,234.5", true],
    ["1,234.5", "1234.5", true],
    ["sub expression", "sub-expressions", true],
    ["sub-expressions", "sub expression", true],
    ["６－２－１", "6-2-1", true],
    ["6–2–1", "6‑2‑1", true],
    ["R1-750", "R1-750.pdf", true]
  ].each do |question, written, is_found|
    it "#{is_found ? "finds" : "does not find"} #{written} by #{question}" do
      [{ content: "valves", title: written }, { content: written }].each do |asked|
        records = [{ id: "asked", **asked }, { id: "other", content: "pumps" }]
        expect(found(question, records, nil, {})).to eq(is_found ? ["asked"] : [])
      end
    end
  end
end
