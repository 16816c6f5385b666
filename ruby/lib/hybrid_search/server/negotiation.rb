# frozen_string_literal: true

module HybridSearch
  module Server
    # Checks the media types that a request accepts, and the declared type and length of its body (CUR-6).
    module Negotiation
      NOTHING = /\A0(?:\.0{0,3})?\z/n
      DIGITS = /\A[0-9]{1,18}\z/n
      BLANKS = /\A[ \t]+|[ \t]+\z/n
      private_constant :NOTHING, :DIGITS, :BLANKS

      module_function

      # Refuse a request that accepts only other media types; the most specific matching range decides.
      #
      # @param head [HttpHead]
      # @param gives [String] the media type of the response
      # @return [void]
      # @raise [HttpProblem] the request accepts only other media types
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

      # Refuse a body of another type, or one whose declared length exceeds the limit.
      #
      # @param head [HttpHead]
      # @param most [Integer] its limit of bytes
      # @return [void]
      # @raise [HttpProblem] the length is missing or too large, or the media type or encoding is not supported
      def check_body(head, most)
        length = head.header("content-length")
        raise HttpProblem, "length_required" if length.empty? && head.header("transfer-encoding").empty?

        wrong = wrong_content(head)
        raise HttpProblem.new("unsupported_media_type", wrong, { "accept" => "application/json" }) if wrong
        return if length.empty? || (DIGITS.match?(length) && length.to_i <= most)

        raise HttpProblem.new("payload_too_large", most.to_s)
      end

      # Return the problem with the declared type of the body, nil without a problem.
      def wrong_content(head)
        type, parameters = media(head.header("content-type"))
        charset = parameters.fetch("charset", "utf-8").gsub(/\A"+|"+\z/n, "")
        return "no Content-Type" if type.empty?
        return "another Content-Type" if type != "application/json"
        return "another charset" unless %w[utf-8 utf8].include?(charset)

        "a Content-Encoding" unless ["", "identity"].include?(head.header("content-encoding").downcase)
      end
      private_class_method :wrong_content

      # Return a media type, or a range of them, and its parameters, all in lower case.
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
