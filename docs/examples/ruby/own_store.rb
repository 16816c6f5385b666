# frozen_string_literal: true

# A store of your own that keeps the contract: documents in memory, each change a line of a file.

require "hybrid_search"
require "json"
require "tmpdir"

# Searches in memory, and writes every change to a file, from which it is as it was when opened again.
class JournalStore < HybridSearch::DocStoreAdapter
  def initialize(path)
    super()
    @path = path
    @lock = Mutex.new
    @memory = read
  end

  # Add documents, all of them or none.
  def insert(documents)
    change("insert", documents)
  end

  # Change documents, all of them or none.
  def update(documents)
    change("update", documents)
  end

  # Add documents, or replace those that are stored, all of them or none.
  def upsert(documents)
    change("upsert", documents)
  end

  # Remove documents.
  def delete(identifiers)
    change("delete", identifiers)
  end

  # A stored document, or nil.
  def get(identifier)
    @memory.get(identifier)
  end

  # How many documents there are.
  def count
    @memory.count
  end

  # Another value after each change.
  def generation
    @memory.generation
  end

  # Whether it works, and where the file is.
  def health
    @memory.health.merge("path" => @path)
  end

  # Find documents.
  def search(**options)
    @memory.search(**options)
  end

  # All candidates with their scores.
  def rank(match_exprs, filters = nil)
    @memory.rank(match_exprs, filters)
  end

  private

  def change(name, argument)
    @lock.synchronize do
      changed = @memory.public_send(name, argument)
      begin
        File.write(@path, "#{JSON.generate([name, argument])}\n", mode: "a", encoding: "UTF-8")
      rescue SystemCallError => e
        @memory = read # what is not in the file was not stored
        raise HybridSearch::DocStoreError, "cannot write #{@path}: #{e.message}"
      end
      changed
    end
  end

  def read
    memory = HybridSearch::MemoryDocStore.new
    lines = File.exist?(@path) ? File.readlines(@path, chomp: true, encoding: "UTF-8") : []
    lines.each.with_index(1) do |line, number|
      memory.public_send(*JSON.parse(line))
    rescue JSON::ParserError
      raise HybridSearch::IndexCorruptError, "#{@path} is damaged in line #{number}"
    end
    memory
  end
end

Dir.mktmpdir do |folder|
  number = -1
  kept = HybridSearch::AdapterKit::DocStoreContract.run { JournalStore.new("#{folder}/contract-#{number += 1}.jsonl") }
  puts "keeps all #{kept.size} promises of the contract"

  path = "#{folder}/documents.jsonl"
  embedder = HybridSearch::HashingEmbedder.new(dimension: 64)
  records = [
    { id: "solar", content: "Solar panels on the roof, 屋顶上的太阳能电池板" },
    { id: "wind", content: "Wind turbines off the coast, 海上风力发电机" }
  ]
  HybridSearch::Index.new(store: JournalStore.new(path), embedding: embedder).add(records)
  opened_again = HybridSearch::Index.new(store: JournalStore.new(path), embedding: embedder)
  opened_again.search("solar roof 太阳能").each { |hit| puts "#{hit.id} #{hit.score}" }
end
