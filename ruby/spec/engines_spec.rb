# frozen_string_literal: true

require "net/http"
require "json"

# Ruby's clients reach the engines; the specs of the stores check the stored documents.
RSpec.describe Engines, engines: true do
  it "has a PostgreSQL with pgvector, which the gem pg reaches" do
    url = engine_url("postgres")
    begin
      require "pg"
    rescue LoadError => e
      skip("the gem pg is missing (#{e.message}): bin/setup installs it on Debian")
    end
    connection = PG.connect(url)
    expect(connection.exec("SELECT '[3,4]'::vector <-> '[0,0]' AS far").getvalue(0, 0)).to eq("5")
  ensure
    connection&.close
  end

  it "has an OpenSearch with the k-NN plugin, which net/http reaches" do
    answer = Net::HTTP.get(URI("#{engine_url("opensearch").split(",").first}/_nodes/plugins"))
    nodes = JSON.parse(answer).fetch("nodes").values
    expect(nodes.map { |node| node["plugins"].map { |plugin| plugin["name"] } }).to all(include("opensearch-knn"))
  end
end
