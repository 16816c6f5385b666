# frozen_string_literal: true

# Whether stores in files can be tried here.
module SqliteGem
  # @return [String, nil] why examples are left out
  def self.missing
    require "sqlite3"
    nil
  rescue LoadError
    "the gem sqlite3 is not installed"
  end
end
