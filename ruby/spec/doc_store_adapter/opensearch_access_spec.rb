# frozen_string_literal: true

require "spec_helper"
require "socket"

RSpec.describe HybridSearch::OpenSearchDocStore do
  let(:url) do
    server = TCPServer.new("127.0.0.1", 0)
    port = server.addr[1]
    server.close
    "http://127.0.0.1:#{port}"
  end

  it "refuses a malformed API key before it connects" do
    expect { described_class.new(url, "i", api_key: "a b", timeout: 0.2) }
      .to raise_error(HybridSearch::InvalidInputError, /\Aapi_key must be a text of ASCII characters/)
  end
end
