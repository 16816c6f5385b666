# frozen_string_literal: true

module HybridSearch
  module Text
    # Reads user dictionaries in jieba's format (TXT-2): one word a line, with an optional frequency and tag.
    module UserDictionary
      ENTRY = /\A(.+?)(?: ([0-9]+))?(?: ([a-z]+))?\z/m
      NOT_WHITE = /[^ \t\n\r\v\f]/n
      BYTE_ORDER_MARKS = /\A\uFEFF+/
      private_constant :ENTRY, :NOT_WHITE, :BYTE_ORDER_MARKS

      module_function

      # @param path [String, Pathname] a file in UTF-8, with or without a byte order mark
      # @return [Array<Array(String, Integer, String)>] word, frequency or nil, tag or nil; empty lines are skipped
      # @raise [ConfigurationError] the file cannot be read, is not UTF-8, or has a frequency out of range
      # @raise [InvalidInputError] `path` is not a text
      def read(path)
        name = Base::Validation.text("path", path.respond_to?(:to_path) ? path.to_path : path)
        lines(name).each_with_index.filter_map { |line, index| entry(line, name, index + 1) }
      end

      def lines(name)
        File.binread(name).split("\n", -1)
      rescue ::SystemCallError, ::ArgumentError, ::IOError
        raise ConfigurationError, "the user dictionary #{Base::Validation.describe(name)} cannot be read"
      end
      private_class_method :lines

      def entry(line, name, number)
        where = "line #{number} of the user dictionary #{Base::Validation.describe(name)}"
        first = line.index(NOT_WHITE)
        text = (first ? line[first..line.rindex(NOT_WHITE)] : +"").force_encoding(::Encoding::UTF_8)
        raise ConfigurationError, "#{where} is not valid UTF-8 text" unless text.valid_encoding?

        matched = ENTRY.match(text.sub(BYTE_ORDER_MARKS, ""))
        return nil unless matched

        word, digits, tag = matched.captures
        frequency = digits&.to_i
        if frequency && frequency > Dictionary::MAXIMUM_FREQUENCY
          raise ConfigurationError, "#{where} has a frequency above #{Dictionary::MAXIMUM_FREQUENCY}"
        end

        [word, frequency, tag]
      end
      private_class_method :entry
    end
  end
end
