# frozen_string_literal: true

require "rbs"
require "support/public_surface"

# What users call has real types: no `untyped`, and no `top` in its place, in everything that is public.
RSpec.describe "public signatures" do
  # Where RBS cannot express the actual type, and why.
  untypeable = {
    "HybridSearch::Base::Value#deconstruct_keys" => "gives the parts of whatever value includes the module",
    "HybridSearch::Base::Value#with" => "takes the parts of whatever value includes the module",
    "HybridSearch::Base::Value#==" => "takes any object",
    "HybridSearch::Base::Value#eql?" => "takes any object",
    "HybridSearch::Base::Value::ToJson#as_json" => "takes what Rails passes, and does not look at it",
    "HybridSearch::Base::Value::ToJson#to_json" => "takes what the generator or Rails passes, and passes it on",
    "HybridSearch::Document#==" => "takes any object",
    "HybridSearch::Document#eql?" => "takes any object"
  }

  surface = nil
  before(:context) { surface = PublicSurface.new(Signatures.definitions) }

  it "have a type for every parameter and result" do
    expect(surface.untyped - untypeable.keys).to eq([])
  end

  it "have no unnecessary exceptions" do
    expect(untypeable.keys - surface.untyped).to eq([])
  end

  it "are checked for everything that is public" do
    expect(surface.members).to include(
      "HybridSearch::Index#initialize", "HybridSearch::Index#add", "HybridSearch.logger=", "HybridSearch::Fusion.rrf",
      "HybridSearch::Chunk#metadata", "HybridSearch::Base::Value#with", "HybridSearch::AdapterKit::Filters#accepts?",
      "HybridSearch::RetrievalService::ServiceResult#explain", "HybridSearch::QueryBuilder::QUERY_FIELDS"
    )
  end

  it "find untyped in every part of a type" do
    ["untyped", "Array[untyped]", "[Integer, untyped]", "{ a: untyped }", "^(untyped) -> void", "(Integer | untyped)",
     "untyped?", "^() { (untyped) -> void } -> void", "top", "Hash[String, top]"].each do |text|
      expect(surface.untyped?(RBS::Parser.parse_type(text))).to be(true), text
    end
    ["void", "bot", "Array[Integer]", "::HybridSearch::json", "::HybridSearch::observer"].each do |text|
      expect(surface.untyped?(RBS::Parser.parse_type(text))).to be(false), text
    end
  end
end
