# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # The statements of a collection in OceanBase, from `data/oceanbase.json`, which both languages use (OB-1).
      #
      # Values are written into statements as numbers or in hexadecimal. So no value is ever read as a part of a
      # statement, with any characters and in any mode of the server.
      class OceanBaseStatements < Tables::SqlStatements
        # @param given [String, Integer, Float, nil]
        # @return [String] a value as a part of a statement
        def self.value(given)
          case given
          when nil then "null"
          when ::Float then Base::Numeric.shortest(given)
          when ::Integer then given.to_s
          else "x'#{given.unpack1("H*")}'"
          end
        end

        # @param members [Array<String, Integer, Float, nil>] at least one
        # @return [String] values in brackets
        def self.row(members)
          "(#{members.map { |member| value(member) }.join(",")})"
        end

        # @param given [String] words of letters, digits and blanks
        # @return [String] a text of a statement
        def self.words(given)
          "'#{given}'"
        end

        # @param collection [String] the name of the collection, which consists of lower-case letters, digits and `_`
        def initialize(collection)
          super("oceanbase", { collection: })
        end
      end
    end
  end
end
