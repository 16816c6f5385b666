# frozen_string_literal: true

# An article; only those that are published are found.
class Article < ApplicationRecord
  belongs_to :account
  belongs_to :author

  hybrid_search content: :body, title: :title, metadata: %i[lang published_on author_name], tenant: :account_id,
                if: :published?, scope: -> { includes(:author) }, callbacks: :async

  delegate :name, to: :author, prefix: true

  def published?
    !published_on.nil?
  end
end
