# frozen_string_literal: true

# Two accounts with a few articles each; their tokens are their names, for this example alone.
articles = {
  "garden" => [["Sheds", "How to build a shed out of larch, and keep the rain off.", "en"],
               ["Walls", "A dry wall needs no mortar. Frost does not harm it.", "en"],
               ["木棚", "怎样用落叶松搭一个木棚，让雨水进不来。", "zh"]],
  "kitchen" => [["Bread", "How to bake bread with a sour dough.", "en"],
                ["面条", "手拉面条需要练习，也需要耐心。", "zh"]]
}
HybridSearch::Rails.callbacks(:bulk) do
  articles.each do |name, texts|
    account = Account.create!(name:, token: name)
    author = account.authors.create!(name: "Editor of #{name}")
    texts.each do |title, body, lang|
      account.articles.create!(author:, title:, body:, lang:, published_on: Date.new(2024, 5, 1))
    end
  end
end
