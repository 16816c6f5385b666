# frozen_string_literal: true

module HybridSearch
  module Server
    # Whether a request may be answered as it wants to be, and what its body claims to be (CUR-6).
    module Negotiation
      NOTHING = /\A0(?:\.0{0,3})?\z/n
      DIGITS = /\A[0-9]{1,18}\z/n
      BLANKS = /\A[ \t]+|[ \t]+\z/n
      private_constant :NOTHING, :DIGITS, :BLANKS

      module_function

      # Refuse a request that accepts other media types only; the range that names the type best decides.
      #
      # @param head [HttpHead]
      # @param gives [String] the media type of the answer
      # @return [void]
      # @raise [HttpProblem] it does
      def check_accept(head, gives)
        accepted = head.header("accept")
        return if accepted.empty?

        ranges = accepted.split(",", -1).map { |one| media(one) }
        [gives, "#{gives.partition("/").first}/*", "*/*"].each do |name|
          weights = ranges.filter_map { |range, parameters| parameters.fetch("q", "1") if range == name }
          next if weights.empty?
          break if weights.all?(NOTHING)

          return nil
        end
        raise HttpProblem.new("not_acceptable", gives)
      end

      # Refuse a body of another kind, or one that says that it is too long.
      #
      # @param head [HttpHead]
      # @param most [Integer] its limit of bytes
      # @return [void]
      # @raise [HttpProblem] its length is not told, its media type or its encoding is another, or it is too long
      def check_body(head, most)
        length = head.header("content-length")
        raise HttpProblem, "length_required" if length.empty? && head.header("transfer-encoding").empty?

        wrong = wrong_content(head)
        raise HttpProblem.new("unsupported_media_type", wrong, { "accept" => "application/json" }) if wrong
        return if length.empty? || (DIGITS.match?(length) && length.to_i <= most)

        raise HttpProblem.new("payload_too_large", most.to_s)
      end

      # What is wrong with what a body says of itself, nil if nothing is.
      def wrong_content(head)
        type, parameters = media(head.header("content-type"))
        charset = parameters.fetch("charset", "utf-8").gsub(/\A"+|"+\z/n, "")
        return "no Content-Type" if type.empty?
        return "another Content-Type" if type != "application/json"
        return "another charset" unless %w[utf-8 utf8].include?(charset)

        "a Content-Encoding" unless ["", "identity"].include?(head.header("content-encoding").downcase)
      end
      private_class_method :wrong_content

      # A media type, or a range of them, and its parameters, all in small letters.
      def media(text)
        type, *pairs = text.b.downcase(:ascii).split(";", -1).map { |part| part.gsub(BLANKS, "") }
        parameters = pairs.to_h do |pair|
          name, _, value = pair.partition("=")
          [name.gsub(BLANKS, ""), value.gsub(BLANKS, "")]
        end
        [type || "", parameters]
      end
      private_class_method :media
    end
  end
end
