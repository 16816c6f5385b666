# frozen_string_literal: true

# Who reads and writes: sees its own articles and no others.
class Account < ApplicationRecord
  has_many :authors, dependent: :destroy
  has_many :articles, dependent: :destroy
  has_secure_token
end
