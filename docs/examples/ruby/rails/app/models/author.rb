# frozen_string_literal: true

# Who has written articles.
class Author < ApplicationRecord
  belongs_to :account
  has_many :articles, dependent: :destroy
end
