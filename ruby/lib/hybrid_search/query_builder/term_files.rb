# frozen_string_literal: true

require "json"

module HybridSearch
  module QueryBuilders
    # Reads the optional files of terms: document frequencies, named entities, synonyms (TW-3, TW-4, SYN-1).
    #
    # Every fault of a file is a {ConfigurationError} that names its path.
    module TermFiles
      COUNT = /\A[0-9]{1,15}\z/
      private_constant :COUNT

      module_function

      # Return an object from a JSON file, or the given object.
      #
      # @param what [String] the kind of contents, for messages: "synonyms"
      # @param source [String, #to_path, Hash] a path, or the object itself
      # @return [Array(String, Hash{String=>Object})] the name of the source in messages, and the object
      # @raise [ConfigurationError] the file cannot be read, is not UTF-8, not JSON, or not an object
      def json_object(what, source)
        return [what, checked_keys(what, source)] if source.is_a?(::Hash)

        path = file_path(what, source)
        name = "#{what} file #{shown(path)}"
        value = parse_json(name, read_text(what, path))
        unless value.is_a?(::Hash)
          raise ConfigurationError, "#{name} must hold an object, not #{Base::Validation.describe(value)}"
        end

        [name, checked_keys(name, value)]
      end

      # Return terms with counts from a file of lines `term<tab>count`, or from a Hash; the last of equal terms counts.
      #
      # @return [Hash{String=>Integer}]
      # @raise [ConfigurationError] the file cannot be read or is not UTF-8, or a line or a count is malformed
      def counts(what, source)
        if source.is_a?(::Hash)
          return checked_keys(what, source).to_h { |term, count| [term, checked_count(what, term, count)] }
        end

        path = file_path(what, source)
        table = {}
        read_text(what, path).split("\n", -1).each.with_index(1) do |line, number|
          fields = line.delete_suffix("\r").split("\t", -1)
          next if fields.empty?

          if fields.size != 2 || fields[0].empty? || !fields[1].match?(COUNT)
            raise ConfigurationError, "#{what} file #{shown(path)}, line #{number}: " \
                                      "must be a term, a tab and a count, not #{Base::Validation.describe(line)}"
          end
          table[fields[0]] = fields[1].to_i
        end
        table
      end

      # @return [String] the path, given as a text or a path object
      # @raise [ConfigurationError] the source is neither, or not valid text
      def file_path(what, source)
        path = source.respond_to?(:to_path) ? source.to_path : source
        unless path.is_a?(::String)
          raise Base::Validation.failure(what, source, "a path or an object", ConfigurationError)
        end

        Base::Validation.text(what, path)
      rescue InvalidInputError => e
        raise ConfigurationError, e.message
      end

      # @return [String] the full path, for messages
      def shown(path)
        JSON.generate(path)
      end

      # @return [String] the text of a file
      # @raise [ConfigurationError] the file is missing, cannot be read, or is not UTF-8
      def read_text(what, path)
        name = "#{what} file #{shown(path)}"
        text = read_bytes(name, path).force_encoding(::Encoding::UTF_8)
        raise ConfigurationError, "#{name} is not valid UTF-8 text" unless text.valid_encoding?

        text
      end

      # @return [String] the bytes of a file
      # @raise [ConfigurationError] the file is missing or cannot be read
      def read_bytes(name, path)
        File.binread(path)
      rescue ::SystemCallError, ::IOError, ::ArgumentError
        raise ConfigurationError, "#{name} cannot be read"
      end

      def parse_json(name, text)
        Base::StrictJson.parse(text)
      rescue JSON::JSONError
        raise ConfigurationError, "#{name} is not valid JSON"
      end
      private_class_method :parse_json

      def checked_keys(name, value)
        Base::Validation.mapping(name, value)
      rescue InvalidInputError => e
        raise ConfigurationError, e.message
      end
      private_class_method :checked_keys

      def checked_count(what, term, value)
        Base::Validation.integer("#{what}[#{Base::Validation.describe(term)}]", value, 0, 10**15)
      rescue InvalidInputError => e
        raise ConfigurationError, e.message
      end
      private_class_method :checked_count
    end
  end
end
