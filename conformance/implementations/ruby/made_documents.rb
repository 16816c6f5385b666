# frozen_string_literal: true

module Conformance
  # Documents in any number, made of their places alone, so that a case of many is short (DOC-1).
  #
  # The first `SINGLE` have vectors that numbers of 32 bits hold, later ones have some that they do not.
  module MadeDocuments
    SINGLE = 600

    module_function

    # The document of each place.
    def make(places)
      places.map { |place| document(place) }
    end

    # Documents whose vectors are nearly alike, half of them on either side of where a component is rounded.
    def near(places)
      places.map do |place|
        first = (40_001 / 65_536.0) + (((place * 7 % 61) - 30) / 16_777_216.0)
        { "id" => name(place), "q_2_vec" => [first, 13_289_550 / 16_777_216.0] }
      end
    end

    # The id of the document of a place.
    def name(place)
      format("d%05d", place)
    end

    def document(place)
      third = place < SINGLE ? 0.5 : 1.0 / (1 + (place % 4))
      {
        "id" => name(place),
        "content_ltks" => words(place).join(" "),
        "title_tks" => (place % 3).zero? ? "t#{place % 5} x" : "t#{place % 5}",
        "n_int" => place % 10,
        "q_3_vec" => [(place * 7 % 11).to_f - 5.0, (place % 13).to_f, third]
      }
    end

    def words(place)
      last = place.odd? ? %w[y z] : %w[z y]
      (["x"] * (1 + (place % 3))) + ["m#{place % 7}", "n#{place % 64}", "r#{place % 257}"] + last
    end
  end
end
