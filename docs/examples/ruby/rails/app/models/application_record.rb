# frozen_string_literal: true

# The records of this application.
class ApplicationRecord < ActiveRecord::Base
  self.abstract_class = true
end
