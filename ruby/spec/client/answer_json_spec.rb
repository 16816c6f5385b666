# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Client::AnswerJson do
  # A clock that advances by a second each time it is read.
  def deadline_of(seconds)
    now = 0.0
    limits = HybridSearch::Client::Limits.new(connect_timeout: 5.0, read_timeout: 5.0, deadline: seconds,
                                              max_response_bytes: 33_554_432)
    HybridSearch::Client::Deadline.new(limits, -> { now += 1.0 }, seconds)
  end

  def parse(body, seconds)
    described_class.parse(body.b, 33_554_432, deadline_of(seconds))
  end

  it "checks the deadline while a large body is read" do
    ["[#{"1," * 600_000}1]", "[#{"[]," * 250_000}[]]", "[\"#{'\n' * 600_000}\"]"].each do |body|
      expect { parse(body, 4.0) }
        .to raise_error(HybridSearch::Client::ExchangeError, /before the deadline of 4.0 seconds/)
    end
  end

  it "checks the deadline after each piece of many blanks" do
    looks = 0
    HybridSearch::Base::JsonScan.new(nil, 1, -> { looks += 1 }).scan("[#{" \t\n\r" * 160_000}1]".b)
    expect(looks).to eq(640_000 / 65_536)
  end

  # The clock is read before, during and after the check, and again: it took 2 s, so 12 s must be left after 4 s.
  it "builds values only if enough time is left" do
    expect(parse("[1]", 16.0)).to eq([1])
    allow(HybridSearch::Base::StrictJson).to receive(:build)
    expect { parse("[1]", 15.9) }
      .to raise_error(HybridSearch::Client::ExchangeError, "did not answer before the deadline of 15.9 seconds")
    expect(HybridSearch::Base::StrictJson).not_to have_received(:build)
  end

  it "frees a body once its value is built" do
    body = '{"a": [1]}'.b
    expect(described_class.parse(body, 1000)).to eq("a" => [1])
    expect(body).to be_empty
  end
end
