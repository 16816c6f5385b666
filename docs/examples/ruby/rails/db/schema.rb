# frozen_string_literal: true

ActiveRecord::Schema.define(version: 1) do
  # So that readers do not wait for writers.
  execute("pragma journal_mode = wal") if connection.adapter_name == "SQLite"

  create_table :accounts, force: :cascade do |table|
    table.string :name, null: false
    table.string :token, null: false, index: { unique: true }
  end

  create_table :authors, force: :cascade do |table|
    table.references :account, null: false
    table.string :name, null: false
  end

  create_table :articles, force: :cascade do |table|
    table.references :account, null: false
    table.references :author, null: false
    table.string :title, null: false
    table.text :body, null: false
    table.string :lang, null: false, default: "en"
    table.date :published_on
  end
end
