# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Search
    # The position of a walk (CUR-3).
    class Cursor
      include Base::ShortInspect

      # @return [RankingKey] the place of the last hit that was shown
      attr_reader :key
      # @return [Integer] the number of hits that have been shown
      attr_reader :position
      # @return [String] the fingerprint of the request, see {CursorCodec.fingerprint}
      attr_reader :fingerprint
      # @return [Integer, String] the generation of the index when the first page was made
      attr_reader :generation
      # @return [String, nil] the result of the user's callable for the question of the first page (RWR-1), nil if
      #   nothing changed
      attr_reader :rewritten

      def initialize(key, position, fingerprint, generation, rewritten = nil)
        @key = key
        @position = position
        @fingerprint = fingerprint
        @generation = generation
        @rewritten = rewritten
        freeze
      end
    end

    # Writes and reads cursors (CUR-3); the texts are the same in both languages.
    class CursorCodec
      VERSION = 1
      LONGEST = 245_760
      LONGEST_TEXT = 1024
      MOST_BITS = 200
      # The number of hexadecimal digits of a digest.
      DIGITS = 16
      # The number of hexadecimal digits of a check value that is signed with a secret.
      DIGITS_WITH_SECRET = 32
      ALPHABET = /\A[A-Za-z0-9_-]+\z/
      BITS = /\A[0-9a-f]{16}\z/
      FIELDS = %w[c f g i n r s t v].freeze
      # The parts that only some cursors have.
      OTHER_FIELDS = %w[o q].freeze

      MALFORMED = "cursor is malformed: it must be a next_cursor, whole and unchanged"
      FORGED = "cursor has a wrong check value: it was changed, or made with another cursor_secret"
      OTHER_REQUEST =
        "cursor belongs to another request: question, filters and options must be those of the first page"
      CHANGED = 'cursor is of an index that has changed since its first page, and on_index_change is "error"'

      # @param parts [Hash{String=>String}] the parts of a request, each as canonical JSON
      # @return [String] 16 hex digits of the SHA-256 of these parts, which distinguish requests
      def self.fingerprint(parts)
        Digest::SHA256.hexdigest("{#{parts.sort.map { |name, value| "\"#{name}\":#{value}" }.join(",")}}")[0, DIGITS]
      end

      # @return [String] a part of a request as canonical JSON, floats as their 16 hex digits
      def self.canonical(value)
        Base::CanonicalJson.write(without_floats(value))
      end

      def self.without_floats(value)
        case value
        when ::Float then Base::Numeric.to_bits(value)
        when ::Hash then value.transform_values { |item| without_floats(item) }
        when ::Array then value.map { |item| without_floats(item) }
        else value
        end
      end
      private_class_method :without_floats

      # @param secret [String, nil] the key that signs cursors, not empty; with nil they have a check value that anybody
      #   can compute
      # @raise [InvalidInputError] the secret is something else; the message never shows it
      def initialize(secret = nil)
        @secret = secret.nil? ? nil : checked(secret)
        freeze
      end

      # @return [String]
      def inspect
        "#<#{self.class}>"
      end

      # @param cursor [Cursor]
      # @return [String] its text
      # @raise [InvalidInputError] a value to order by is too long for a cursor
      def encode(cursor)
        parts = parts_of(cursor)
        written = Base::CanonicalJson.write(parts)
        encoded("{\"c\":\"#{check_value(written)}\",#{written[1..]}") # no name comes before "c"
      end

      # @param text [Object]
      # @return [Cursor] the cursor of a text
      # @raise [InvalidCursorError] the text is malformed, of another version, or its check value is wrong; checked in
      #   this order
      def decode(text)
        parts = parts(text)
        raise InvalidCursorError, MALFORMED unless parts["v"].is_a?(::Integer)

        if parts["v"] != VERSION
          shown = Base::Validation.describe(parts["v"])
          raise InvalidCursorError, "cursor is of version #{shown}, which is not known here; known is #{VERSION}"
        end
        cursor = cursor(parts)
        unchecked = Base::CanonicalJson.write(parts.except("c"))
        raise InvalidCursorError, FORGED unless same?(parts["c"], check_value(unchecked))

        cursor
      end

      private

      def checked(secret)
        return secret.b.freeze if secret.is_a?(::String) && !secret.empty?

        raise InvalidInputError, "cursor_secret must be bytes or a text, not empty"
      end

      def encoded(text)
        [text].pack("m0").tr("+/", "-_").delete("=")
      end

      def parts_of(cursor)
        key = cursor.key
        parts = {
          "v" => VERSION,
          "t" => key.tier,
          "s" => Base::Numeric.to_bits(key.score),
          "r" => Base::Numeric.to_bits(key.stage1_score),
          "i" => key.id,
          "n" => cursor.position,
          "f" => cursor.fingerprint,
          "g" => cursor.generation
        }
        unless key.values.empty?
          parts["o"] = key.values.each_with_index.map { |value, place| written(value, place, key.id) }
        end
        parts["q"] = cursor.rewritten unless cursor.rewritten.nil?
        parts
      end

      # Return 16 hex digits of SHA-256 over the parts as canonical JSON; with a secret, 32 of HMAC-SHA256.
      def check_value(written)
        return Digest::SHA256.hexdigest(written)[0, DIGITS] if @secret.nil?

        require "openssl"
        OpenSSL::HMAC.hexdigest("SHA256", @secret, written)[0, DIGITS_WITH_SECRET]
      end

      # Return whether two texts are equal, in a time that does not depend on the place of a difference.
      def same?(given, wanted)
        given.bytesize == wanted.bytesize &&
          given.bytes.zip(wanted.bytes).reduce(0) { |seen, (one, other)| seen | (one ^ other) }.zero?
      end

      # Return the object in a text of base64url, which must be canonical to the last bit.
      def parts(text)
        unless text.is_a?(::String) && text.length <= LONGEST && text.b.match?(ALPHABET)
          raise InvalidCursorError, MALFORMED
        end

        data = decoded(text)
        parts = Base::StrictJson.parse_object(data)
        return parts if parts && encoded(Base::CanonicalJson.write(parts)) == text

        raise InvalidCursorError, MALFORMED
      rescue JSON::JSONError, EncodingError, ArgumentError => e
        raise e if e.is_a?(InvalidCursorError)

        raise InvalidCursorError, MALFORMED
      end

      def decoded(text)
        data = text.tr("-_", "+/").ljust((text.length + 3) / 4 * 4, "=").unpack1("m0").force_encoding(Encoding::UTF_8)
        raise InvalidCursorError, MALFORMED unless data.valid_encoding?

        data
      end

      # Return the cursor of the parts of version 1.
      def cursor(parts)
        score = double(parts["s"])
        stage1_score = double(parts["r"])
        raise InvalidCursorError, MALFORMED unless score && stage1_score && sound?(parts)

        order = parts.fetch("o", []).map { |value| read(value) }
        key = RankingKey.new(order, parts["t"], score, stage1_score, parts["i"])
        Cursor.new(key, parts["n"], parts["f"], parts["g"], parts["q"])
      end

      def sound?(parts)
        parts.except(*OTHER_FIELDS).keys.sort == FIELDS &&
          [0, 1].include?(parts["t"]) &&
          parts["i"].is_a?(::String) && !parts["i"].empty? &&
          parts["n"].is_a?(::Integer) && parts["n"] >= 1 &&
          parts["f"].is_a?(::String) &&
          (parts["g"].is_a?(::Integer) || parts["g"].is_a?(::String)) &&
          parts["c"].is_a?(::String) &&
          (!parts.key?("o") || (parts["o"].is_a?(::Array) && !parts["o"].empty?)) &&
          (!parts.key?("q") || (parts["q"].is_a?(::String) && !parts["q"].empty?))
      end

      # Return the finite double of 16 hex digits, nil for any other text.
      def double(bits)
        return nil unless bits.is_a?(::String) && bits.match?(BITS)

        value = Base::Numeric.from_bits(bits)
        value if value.finite?
      end

      # Return a value to order by in the form of a cursor: nil, a text, an integer, or a double as an object of its
      # bits.
      def written(value, place, identifier)
        case value
        when nil then return nil
        when ::Float then return { "d" => Base::Numeric.to_bits(value) }
        when ::String then return value if value.length <= LONGEST_TEXT
        when ::Integer then return value if value.abs.bit_length <= MOST_BITS
        end
        raise InvalidInputError,
              "order_by[#{place}] must not be a field whose values are too long for a cursor, as that of " \
              "#{Base::Validation.describe(identifier)} is: a text has at most #{LONGEST_TEXT} code points, an " \
              "integer #{MOST_BITS} bits"
      end

      # Return the value of a form that {#written} has made.
      def read(value)
        return value if value.nil? || value.is_a?(::Integer) || value.is_a?(::String)

        double = value.is_a?(::Hash) && value.keys == ["d"] ? double(value["d"]) : nil
        return double unless double.nil?

        raise InvalidCursorError, MALFORMED
      end
    end
  end
end
