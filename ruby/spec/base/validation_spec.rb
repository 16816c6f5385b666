# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Base::Validation do
  odd = [
    nil, true, 1, 1.5, Float::NAN, "text", "\xFF", "\xFF".b, "é".encode("UTF-16LE"),
    "\xE9".dup.force_encoding("US-ASCII"), :text, [], [1], {}, { 1 => 2 }, Object.new, 1r, 1i, 1..2, Class,
    10**5000, -(10**5000)
  ]
  checks = {
    text: [], texts: [], integer: [1, 5], number: [0, 1], boolean: [], mapping: [], vector: [], choice: [%w[a b]]
  }

  checks.each do |check, rest|
    it "causes no error of the interpreter for any value: #{check}" do
      odd.each do |value|
        described_class.public_send(check, "thing", value, *rest)
      rescue HybridSearch::InvalidInputError => e
        expect(e.message).to be_valid_encoding.and(include("thing"))
      end
    end
  end

  it "describes every value" do
    expect(odd.map { |value| described_class.describe(value) }).to all(be_valid_encoding)
    expect(described_class.describe(BasicObject)).to eq("the class BasicObject")
  end

  it "names the argument, the value and the accepted values" do
    expect { described_class.integer("page", 0, 1, 100) }
      .to raise_error(HybridSearch::InvalidInputError, "page must be an integer from 1 to 100, not 0")
    expect { described_class.number("weight", Float::NAN, 0) }
      .to raise_error(HybridSearch::InvalidInputError, "weight must be a finite number of at least 0, not nan")
    expect { described_class.choice("method", {}, %w[a b]) }
      .to raise_error(HybridSearch::InvalidInputError, "method must be one of a, b, not an object of 0")
  end

  it "returns texts in UTF-8" do
    expect(described_class.text("question", "é".encode("UTF-16LE"))).to eq("é")
    expect(described_class.text("question", "é".b)).to eq("é")
    expect(described_class.mapping("options", { page: 1 })).to eq({ "page" => 1 })
  end

  it "can refuse a vector with a different error" do
    expect { described_class.vector("vector", [1.0, Float::INFINITY], error: HybridSearch::EmbeddingError) }
      .to raise_error(HybridSearch::EmbeddingError, "vector[1] must be a finite number, not inf")
    expect { described_class.vector("vector", [1.0], dimension: 3) }
      .to raise_error(HybridSearch::DimensionMismatchError, "vector must have 3 components, not 1")
  end

  it "names the nearest known name" do
    expect(described_class.nearest("page_sise", %w[page page_size])).to eq("page_size")
    expect(described_class.nearest("colour", %w[page page_size])).to be_nil
    expect { described_class.known("option", [:pages], %w[page top_k]) }
      .to raise_error(HybridSearch::InvalidInputError,
                      'unknown option "pages"; did you mean "page"? Known: page, top_k')
  end

  it "truncates long keys and long class names" do
    expect(described_class.member("tags", "k" * 60)).to eq("tags.#{"k" * 60}")
    expect(described_class.member("tags", "k" * 61)).to eq("tags.#{"k" * 60}…")
    long = Class.new { define_singleton_method(:to_s) { raise "is not asked" } }
    expect(described_class.describe(long.new)).to match(/\Aa value of the type #<Class:0x\h+>\z/)
    stub_const("K#{"k" * 300}", Class.new)
    expect(described_class.describe(Object.const_get("K#{"k" * 300}").new).length).to eq(221)
  end

  describe "of a third-party error" do
    let(:type) do
      stub_const("Foreign", Class.new do
        def initialize
          @password = "SECRET"
        end

        def to_s
          inspect
        end
      end)
    end

    def message
      yield
    rescue StandardError => e
      described_class.plain_message(e)
    end

    it "shows the class of the object that was called, not its contents" do
      foreign = type.new
      shown = "a value of the type Foreign"
      expect(message { foreign.nothing }).to match(/\Aundefined method [`']nothing' for #{shown}\z/)
      expect(message { foreign.puts }).to match(/\Aprivate method [`']puts' called for #{shown}\z/)
      expect(message { foreign.freeze.instance_variable_set(:@a, 1) }).to eq("can't modify frozen #{shown}")
      expect(message { {}.fetch(foreign) }).to eq("key not found: #{shown}")
      expect(message { ["a document"].nothing }).to match(/ for a value of the type Array\z/)
      expect(message { nil.nothing }).to match(/ for nil\z/)
      expect(message { type.nothing }).to match(/ for the class Foreign\z/)
    end

    it "preserves the message of the error" do
      expect(message { {}.fetch("男") }).to eq('key not found: "男"')
      expect(message { raise NoMethodError, "no 'x' for you" }).to eq("no 'x' for you")
      expect(message { raise FrozenError, "can't modify frozen things" }).to eq("can't modify frozen things")
      expect(message { raise KeyError, "which key?" }).to eq("which key?")
      expect(message { raise "#{"x" * 201}\nsecond" }).to eq("#{"x" * 200}…")
    end
  end

  describe ".foreign_error" do
    def told
      yield
    rescue StandardError => e
      described_class.foreign_error(e)
    end

    # did_you_mean and error_highlight prepend their own modules to these classes.
    it "names the error's class, not a module in front of it" do
      expect(told { {}.fetch("男") }).to eq('KeyError: key not found: "男"')
      [NameError, KeyError, NoMethodError, TypeError, ArgumentError].each do |type|
        expect(told { raise type, "which?" }).to eq("#{type}: which?")
      end
    end

    it "names the nearest named ancestor of an anonymous class, and omits the library's own" do
      expect(told { raise Class.new(IndexError), "beyond" }).to eq("IndexError: beyond")
      expect(told { raise Class.new(KeyError), "which?" }).to eq("KeyError: which?")
      expect(told { raise HybridSearch::RerankError, "busy" }).to eq("RerankError: busy")
    end
  end
end
