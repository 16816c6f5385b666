# frozen_string_literal: true

# Rounds of random specs: some in every run, and more every night for examples tagged `nightly:`.
module Rounds
  def self.of(every_run, every_night)
    ENV["HYBRID_SEARCH_SPECS"] == "nightly" ? every_night : every_run
  end
end
