# frozen_string_literal: true

# Whether stores in files can be tested here.
module SqliteGem
  # @return [String, nil] why examples are skipped
  def self.missing
    require "sqlite3"
    nil
  rescue LoadError
    "the gem sqlite3 is not installed"
  end
end
