# frozen_string_literal: true

# Ids have a limit, and every id and value within the limits makes a cursor that is accepted (DOC-1, CUR-3).
RSpec.describe HybridSearch::Index do
  clef = "\u{1d11e}"

  %w[id doc_id kb_id].product(%i[add upsert]).each do |key, method|
    it "refuses a longer #{key} in #{method}" do
      index = described_class.new
      expect(index.public_send(method, [{ "id" => "1", "content" => "red", key => clef * 512 }])).to eq(1)
      expect { index.public_send(method, [{ "id" => "2", "content" => "red", key => clef * 513 }]) }
        .to raise_error(HybridSearch::InvalidInputError,
                        "records[0].#{key} must have at most 512 characters, not 513")
    end
  end

  %w[id doc_id kb_id].product(%i[insert upsert]).each do |key, method|
    it "refuses a longer #{key} in #{method} of a store" do
      store = HybridSearch::MemoryDocStore.new
      expect(store.public_send(method, [{ "id" => "1", key => clef * 512 }])).to eq(1)
      expect { store.public_send(method, [{ "id" => "2", key => clef * 513 }]) }
        .to raise_error(HybridSearch::InvalidInputError,
                        "documents[0].#{key} must have at most 512 characters, not 513")
      expect(store.get("x" * 200_000)).to be_nil
      expect(store.delete(["x" * 200_000])).to eq(0)
    end
  end

  ["a", "\u0001", "é", "龘", clef, "\u{10ffff}"].product([nil, "secret"]).each do |character, secret|
    it "accepts the cursors of the longest ids and values of #{character.inspect}, #{secret.inspect}" do
      index = described_class.new(cursor_secret: secret)
      names = (0...16).map { |number| "n#{number}" }
      ids = %w[a b c].map { |ending| (character * 511) + ending }
      index.add(ids.map { |id| { id:, content: "red", metadata: names.to_h { |name| [name, character * 1024] } } })
      given = { limit: 1, order_by: names.map { |name| ["metadata.#{name}", "asc"] } }
      [["red", {}], ["", { match_all: true }]].each do |question, options|
        page = index.search(question, **given, **options)
        shown = page.map(&:id)
        until page.next_cursor.nil?
          page = index.search(question, **given, **options, cursor: page.next_cursor)
          shown.concat(page.map(&:id))
        end
        expect(shown).to eq(ids)
      end
    end
  end
end
