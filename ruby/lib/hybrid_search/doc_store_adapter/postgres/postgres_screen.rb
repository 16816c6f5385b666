# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Vectors in the form in which the server screens them (PG-5).
      module PostgresScreen
        # The number of documents that are requested in addition to the wanted ones.
        MORE = 32

        module_function

        # @return [String, nil] a vector as 32-bit floats in the server's binary format, or nil if it cannot be screened
        def pack(components, norm)
          return nil unless Tables::VectorScreen.can_screen?(components.size, norm)

          [components.size, 0].pack("S>S>") << components.pack("g*")
        end

        # @return [String] a vector as text, which the server rounds to 32-bit floats
        def text(components)
          "[#{components.join(",")}]"
        end
      end
    end
  end
end
