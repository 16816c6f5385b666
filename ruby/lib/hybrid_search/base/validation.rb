# frozen_string_literal: true

require "json"

module HybridSearch
  module Base
    # Checks arguments where they enter the library (NUM-4, UNI-2, ERR-1).
    #
    # Every check returns the accepted value in its plain form, or raises an {InvalidInputError} that names the
    # argument, shows the value, and states the accepted values. The messages are the same in both languages.
    module Validation
      # The mark of an argument that was not given, if nil has a meaning of its own.
      NOT_GIVEN = ::Object.new.freeze
      SHOWN_CHARACTERS = 60
      # Larger integers are described by their size, so that no interpreter has to write thousands of digits.
      SHOWN_BITS = 200
      # The description of a value for which messages have no other word.
      OTHER_TYPE = "a value of the type"
      # The maximum length of another library's error message; the rest is cut.
      MESSAGE_CHARACTERS = 200
      # The smallest integer that is too large for a finite double.
      FIRST_INFINITE = (2**1024) - (2**970)
      # The beginning of Ruby's messages for undefined names, up to the object on which the name was called.
      CALLED = /\A([a-z ]+[`'].+?'(?: called)?) for /m
      FROZEN = "can't modify frozen"
      HABITS = File.expand_path("../../../data/habits.json", __dir__)
      private_constant :FIRST_INFINITE, :CALLED, :FROZEN, :HABITS

      module_function

      # @return [String] the description of a value in messages: like JSON, long texts cut, lists and objects by their
      #   size
      def describe(value)
        case value
        when nil then "null"
        when true, false then value.to_s
        when ::Integer then describe_integer(value)
        when ::Float then Numeric.shortest(value)
        when ::Symbol then describe(value.to_s)
        when ::String
          JSON.generate(cut(replace_invalid(value), SHOWN_CHARACTERS))
        when ::Hash then "an object of #{value.size}"
        when ::Array then "a list of #{value.size}"
        when ::Module then "the class #{type_name(value)}"
        else kind_of(value)
        end
      end

      # @return [Boolean] whether messages can describe a value only by its type
      def foreign?(value)
        describe(value).start_with?(OTHER_TYPE)
      end

      # @return [String] the name of a member of an object; a long key is cut
      def member(name, key)
        key.length <= SHOWN_CHARACTERS ? "#{name}.#{key}" : "#{name}.#{cut(key, SHOWN_CHARACTERS)}"
      end

      # @return [Error] the error for an argument that is not accepted
      def failure(name, value, accepted, error = InvalidInputError)
        error.new("#{name} must be #{accepted}, not #{describe(value)}")
      end

      # Return the readable message of another library's error: its first line, cut, or the name of its class. Additions
      # of interpreters are removed: source code, suggestions, the `inspect` of the receiver.
      #
      # @param error [Exception]
      # @return [String]
      def plain_message(error)
        lines = replace_invalid(own_words(error)).split("\n").map { |one| one.gsub(/\A[ \t\r]+|[ \t\r]+\z/, "") }
        line = lines.find { |one| !one.empty? } || error.class.name.to_s
        cut(line, MESSAGE_CHARACTERS)
      end

      # @param error [Exception]
      # @return [String] the class and the message of an error that a user's own object raised: "KeyError: key not
      #   found"; for a class without a name, its nearest ancestor that has one
      def foreign_error(error)
        name = error.class.ancestors.grep(Class).filter_map(&:name).first.to_s.delete_prefix("HybridSearch::")
        message = plain_message(error)
        message == name ? name : "#{name}: #{message}"
      end

      # Convert a text in another encoding; read a text marked as binary as UTF-8.
      #
      # @return [String] a text of valid UTF-8 (UNI-2); NUL is allowed
      def text(name, value)
        raise failure(name, value, "a text") unless kind?(value, ::String)

        checked = utf8(value)
        return checked if checked
        raise InvalidInputError, "#{name} is not valid UTF-8 text" if value.encoding == ::Encoding::UTF_8
        if value.encoding == ::Encoding::BINARY
          raise InvalidInputError, "#{name} must be a text, not a binary String that is no UTF-8"
        end

        raise InvalidInputError, "#{name} is a text in #{value.encoding.name} that cannot be converted to UTF-8"
      end

      # @return [Array<String>] a list of texts
      def texts(name, value)
        raise failure(name, value, "a list of texts") unless kind?(value, ::Array)

        value.each_with_index.map { |item, index| text("#{name}[#{index}]", item) }
      end

      # @return [Array<String>] a list of names; symbols count as texts
      def names(name, value)
        return texts(name, value) unless kind?(value, ::Array)

        texts(name, value.map { |item| kind?(item, ::Symbol) ? item.to_s : item })
      end

      # @return [Integer] an integer within bounds, both inclusive; floats are refused
      def integer(name, value, minimum = nil, maximum = nil)
        within = kind?(value, ::Integer) && !((minimum && value < minimum) || (maximum && value > maximum))
        return value if within

        raise failure(name, value, "an integer#{bounds(minimum, maximum)}")
      end

      # @return [Float] a finite number within bounds, both inclusive
      def number(name, value, minimum = nil, maximum = nil)
        result = finite?(value) ? value.to_f : nil
        outside = result.nil? || (minimum && result < minimum) || (maximum && result > maximum)
        raise failure(name, value, "a finite number#{bounds(minimum, maximum)}") if outside

        result
      end

      # @return [Boolean] true or false; values that merely count as one are refused
      def boolean(name, value)
        raise failure(name, value, "true or false") unless kind?(value, ::TrueClass) || kind?(value, ::FalseClass)

        value
      end

      # @return [String] one of a few texts
      def choice(name, value, choices)
        plain = kind?(value, ::Symbol) ? value.to_s : value
        known = kind?(plain, ::String) && choices.include?(plain)
        raise failure(name, value, "one of #{choices.join(", ")}") unless known

        plain
      end

      # @return [Hash{String=>Object}] an object whose keys are texts; symbols count as texts, and permitted parameters
      #   of a controller as their Hash
      def mapping(name, value)
        value = permitted(name, value) if parameters?(value)
        raise failure(name, value, "an object") unless kind?(value, ::Hash)

        value.transform_keys { |key| text("a key of #{name}", kind?(key, ::Symbol) ? key.to_s : key) }
      end

      # @return [Boolean] whether a value is the `params` object of a Rails controller
      def parameters?(value)
        kind?(value, ::Kernel) && value.respond_to?(:to_unsafe_h) && value.respond_to?(:permitted?)
      end

      # Return a one-dimensional list of finite numbers, not empty, whose squared norm does not overflow (NUM-4). A
      # wrong length is a {DimensionMismatchError} if `dimension` is given. A zero vector is accepted here.
      #
      # @return [Array<Float>]
      def vector(name, value, dimension: nil, error: InvalidInputError)
        raise failure(name, value, "a list of finite numbers", error) unless kind?(value, ::Array)
        raise error, "#{name} must not be empty" if value.empty?

        # Floats whose squared norm is finite are all finite.
        is_usable = value.all?(::Float) && Numeric.dot(value, value).finite?
        components = is_usable ? value.dup : vector_components(name, value, error)
        if dimension && components.size != dimension
          raise DimensionMismatchError, "#{name} must have #{dimension} components, not #{components.size}"
        end

        components
      end

      # Refuse names that are not in `accepted`, and suggest the nearest accepted one.
      #
      # @param what [String] the kind of name, for the message: "option", "document field" …
      # @param given [Enumerable<String, Symbol>] the names to check
      # @param accepted [Array<String>] the known names, in the order in which the message lists them
      # @param advice [String] advice for the end of the message
      # @return [void]
      def known(what, given, accepted, advice = "")
        given.each do |name|
          text = kind?(name, ::Symbol) || kind?(name, ::String) ? replace_invalid(name.to_s) : nil
          next if text && accepted.include?(text)

          shown = text || describe(name)
          hint = nearest(shown, accepted)
          suggestion = hint ? "; did you mean #{describe(hint)}?" : "."
          known = "Known: #{accepted.join(", ")}#{advice}"
          raise InvalidInputError, "unknown #{what} #{describe(shown)}#{suggestion} #{known}"
        end
      end

      # Return an argument that may be given by position or by name.
      #
      # @param call [String] the name of the called method
      # @param name [String] the name of the argument
      # @param places [Array] the arguments given by position; the first may be {NOT_GIVEN}
      # @param named [Hash{Symbol=>Object}] the arguments given by a name that is not a parameter; the argument is
      #   removed
      # @param options [Array<String>] the names of the parameters
      # @param default [Object] the default of the argument; without a default it is required
      # @param passed_on [Boolean] whether the other names are passed on to a method in which they may be texts
      # @return [Object]
      # @raise [InvalidInputError] the argument is missing or given twice, others are given by position, or a name is
      #   unknown
      def argument(call, name, places, named, options, default: NOT_GIVEN, passed_on: false)
        given = places.reject { |value| NOT_GIVEN.equal?(value) }
        raise too_many(call, "only #{name}", given.size, options) if given.size > 1

        known("option", named.keys, options.include?(name) ? options : [name, *options])
        [name.to_sym, name].each { |key| given << named.delete(key) if named.key?(key) }
        refuse_texts(named) unless passed_on
        raise InvalidInputError, "#{name} is given twice" if given.size > 1

        value = given.fetch(0, default)
        raise InvalidInputError, "#{name} is missing" if NOT_GIVEN.equal?(value)

        value
      end

      # Refuse all arguments of a call that takes arguments by name only; see {argument}.
      #
      # @return [void]
      def no_argument(call, places, named, options, passed_on: false)
        raise too_many(call, "nothing", places.size, options) unless places.empty?

        known("option", named.keys, options)
        refuse_texts(named) unless passed_on
      end

      # Refuse texts as names: the name of a parameter is a Symbol.
      def refuse_texts(named)
        name = named.keys.first
        raise InvalidInputError, "#{name} must be given as #{name}:, not as a text" unless name.nil?
      end
      private_class_method :refuse_texts

      def too_many(call, takes, count, options)
        by_name = options.empty? ? "" : "; by name: #{options.join(", ")}"
        InvalidInputError.new("#{call} takes #{takes} without a name, not #{count} arguments#{by_name}")
      end
      private_class_method :too_many

      # Return the candidate that was probably meant (ERR-1).
      #
      # That is the candidate with the fewest edits to `name`, and the first of equal ones. It is nil if every candidate
      # needs more edits than a third of its length. If the best one needs more than one edit, or `name` is one letter,
      # a name from the table of other libraries' words, `data/habits.json`, has priority.
      #
      # @return [String, nil]
      def nearest(name, candidates)
        best = nil
        best_distance = [1, name.length / 3].max + 1
        candidates.each do |candidate|
          next if (name.length - candidate.length).abs >= best_distance

          distance = edit_distance(name, candidate)
          next unless distance < best_distance

          best = candidate
          best_distance = distance
        end
        return best unless best_distance > 1 || name.length == 1

        habits.fetch(name, []).find { |each| candidates.include?(each) } || best
      end

      # @return [Hash{String=>Array<String>}] words of other libraries with the names that this library uses
      def habits
        JSON.parse(File.read(HABITS, encoding: "UTF-8"))
      end
      private_class_method :habits

      # @return [Integer] the Levenshtein distance of two texts, by code points
      def edit_distance(left, right)
        previous = (0..right.length).to_a
        left.each_char.with_index(1) do |a, row|
          current = [row]
          right.each_char.with_index(1) do |b, column|
            current << [previous[column] + 1, current.last + 1, previous[column - 1] + (a == b ? 0 : 1)].min
          end
          previous = current
        end
        previous.last
      end

      def permitted(name, value)
        return value.to_h if value.permitted?

        raise InvalidInputError, "#{name} must be permitted parameters: name the keys that they may have with permit"
      end
      private_class_method :permitted

      # @return [Boolean] whether a value is of a class; this works for values without methods too (a BasicObject)
      def kind?(value, type)
        type === value # rubocop:disable Style/CaseEquality -- `is_a?` is a method that not every value has
      end
      private_class_method :kind?

      def finite?(value)
        return value.finite? if kind?(value, ::Float)

        kind?(value, ::Integer) && value.abs < FIRST_INFINITE
      end
      private_class_method :finite?

      # @return [String, nil] the text in UTF-8, or nil if it is not valid
      def utf8(value)
        return (value.valid_encoding? ? value : nil) if value.encoding == ::Encoding::UTF_8

        bytes = if value.encoding == ::Encoding::BINARY
                  value.dup.force_encoding(::Encoding::UTF_8)
                else
                  value.encode("UTF-8")
                end
        bytes.valid_encoding? ? bytes : nil
      rescue ::EncodingError
        nil
      end
      private_class_method :utf8

      def describe_integer(value)
        bits = value.abs.bit_length
        bits <= SHOWN_BITS ? value.to_s : "an integer of #{bits} bits"
      end
      private_class_method :describe_integer

      # Return a message without the `inspect` of an object that Ruby may write into it, since that may contain
      # anything.
      def own_words(error)
        text = error.message.to_s
        case error
        when ::NameError then text.match?(CALLED) ? "#{text[CALLED, 1]} for #{kind_of(error.receiver)}" : text
        when ::FrozenError then text.start_with?(FROZEN) ? "#{FROZEN} #{kind_of(error.receiver)}" : text
        when ::KeyError then foreign?(error.key) ? "key not found: #{describe(error.key)}" : text
        else text
        end
      rescue ::ArgumentError # the error names no receiver or key: the message is its author's
        text
      end
      private_class_method :own_words

      def kind_of(value)
        case value
        when nil then "nil"
        when ::Module then describe(value)
        else "#{OTHER_TYPE} #{type_name(::Kernel.instance_method(:class).bind_call(value))}"
        end
      end
      private_class_method :kind_of

      def cut(value, characters)
        value.length <= characters ? value : "#{value[0, characters]}…"
      end
      private_class_method :cut

      def type_name(type)
        cut(::Module.instance_method(:to_s).bind_call(type), MESSAGE_CHARACTERS)
      end
      private_class_method :type_name

      # Return the text with a question mark for every byte that is not UTF-8.
      def replace_invalid(value)
        utf8(value) || value.dup.force_encoding(::Encoding::UTF_8).scrub { |bytes| "?" * bytes.bytesize }
      end
      private_class_method :replace_invalid

      def vector_components(name, value, error)
        components = value.each_with_index.map { |component, index| number("#{name}[#{index}]", component) }
        return components if Numeric.dot(components, components).finite?

        raise InvalidInputError, "#{name} is too long: its squared norm overflows"
      rescue InvalidInputError => e
        raise error, e.message
      end
      private_class_method :vector_components

      def bounds(minimum, maximum)
        return " from #{describe(minimum)} to #{describe(maximum)}" if minimum && maximum
        return " of at least #{describe(minimum)}" if minimum
        return " of at most #{describe(maximum)}" if maximum

        ""
      end
      private_class_method :bounds
    end
  end
end
