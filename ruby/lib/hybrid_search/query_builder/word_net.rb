# frozen_string_literal: true

module HybridSearch
  # Synsets of English words, from the standard WordNet files `index.*`, `data.*` and `*.exc` (SYN-1).
  #
  # The index files are read when the object is made; synsets are read from the data files when they are needed.
  class WordNet
    include Base::ShortInspect

    PARTS_OF_SPEECH = %w[noun verb adj adv].freeze

    # Inflected endings and their replacements, in the order in which they are tried.
    ENDINGS = {
      "noun" => [
        ["s", ""], %w[ses s], %w[ves f], %w[xes x], %w[zes z], %w[ches ch], %w[shes sh], %w[men man], %w[ies y]
      ],
      "verb" => [
        ["s", ""], %w[ies y], %w[es e], ["es", ""], %w[ed e], ["ed", ""], %w[ing e], ["ing", ""]
      ],
      "adj" => [["er", ""], ["est", ""], %w[er e], %w[est e]],
      "adv" => []
    }.freeze

    SYNTACTIC_MARKER = /\([a-z]+\)\z/
    NUMBER = /\A[0-9]+\z/
    private_constant :SYNTACTIC_MARKER, :NUMBER, :ENDINGS

    # @return [String]
    attr_reader :directory

    # @param directory [String, #to_path] a folder with `index.noun`, `data.noun` and the same for verb, adj and adv;
    #   the lists of irregular forms, `noun.exc` and so on, are used if they exist
    # @raise [ConfigurationError] `directory` is not a path, or a file is missing or not a WordNet file
    def initialize(directory)
      @directory = QueryBuilders::TermFiles.file_path("word_net", directory)
      @indexes = PARTS_OF_SPEECH.to_h { |part| [part, read("index.#{part}")] }
      @exceptions = PARTS_OF_SPEECH.to_h { |part| [part, exception_list(part)] }
      PARTS_OF_SPEECH.each do |part|
        next if File.file?(path("data.#{part}"))

        raise ConfigurationError, "word_net file #{QueryBuilders::TermFiles.shown(path("data.#{part}"))} is missing"
      end
      freeze
    end

    # Return the first word of each synset of `word`, with repeats.
    #
    # The order is nouns, verbs, adjectives, adverbs; within each, the word itself and then its base forms; and within
    # these, the synsets in the order of the index line. Words are in lower case, with blanks for `_`.
    #
    # @param word [String]
    # @return [Array<String>]
    # @raise [ConfigurationError] a WordNet file is damaged
    def head_lemmas(word)
      form = Base::Validation.text("word", word)
      PARTS_OF_SPEECH.flat_map do |part|
        found = base_forms(form, part).flat_map { |base| offsets(base, part) }
        found.empty? ? [] : heads(part, found)
      end
    end

    # Return the word itself and the forms of which it may be an inflection, if the index contains them, without
    # repeats.
    #
    # @param form [String]
    # @param part [String] noun, verb, adj or adv
    # @return [Array<String>]
    def base_forms(form, part)
      candidates = @exceptions.fetch(part)[form]
      candidates ||= ENDINGS.fetch(part).filter_map do |old, new|
        form.delete_suffix(old) + new if form.end_with?(old)
      end
      [form, *candidates].uniq.select { |base| index_line(base, part) }
    end

    private

    def offsets(word, part)
      fields = (index_line(word, part) || "").split
      count = whole(fields[2], part)
      first = 6 + whole(fields[3], part)
      found = (fields[first, count] || []).map { |field| whole(field, part) }
      raise damaged("index.#{part}") if found.size != count

      found
    end

    def whole(field, part)
      raise damaged("index.#{part}") unless field&.match?(NUMBER)

      field.to_i
    end

    # Return the line of a word, found by bisection: the lines are sorted by their first field.
    def index_line(word, part)
      wanted = word.b
      index = @indexes.fetch(part)
      low = 0
      high = index.bytesize
      while low < high
        middle = (low + high) / 2
        start = middle.zero? ? 0 : (index.rindex("\n", middle - 1) || -1) + 1
        line = index[start...(index.index("\n", middle) || index.bytesize)]
        found = line[0...(line.index(" ") || line.bytesize)]
        return line if found == wanted && !wanted.empty?

        if (found <=> wanted).negative?
          low = start + line.bytesize + 1
        else
          high = start
        end
      end
      nil
    end

    def heads(part, offsets)
      name = path("data.#{part}")
      File.open(name, "rb") do |file|
        offsets.map do |offset|
          file.seek(offset)
          head(part, offset, file.gets || "")
        end
      end
    rescue ::SystemCallError, ::IOError
      raise ConfigurationError, "word_net file #{QueryBuilders::TermFiles.shown(name)} cannot be read"
    end

    def head(part, offset, line)
      fields = line.split(/ /, 6)
      intact = fields.size == 6 && fields[0] == format("%08d", offset) && fields[4].ascii_only?
      raise damaged("data.#{part}") unless intact

      fields[4].encode(::Encoding::UTF_8).sub(SYNTACTIC_MARKER, "").tr("_", " ").downcase(:ascii)
    end

    def exception_list(part)
      return {} unless File.file?(path("#{part}.exc"))

      read("#{part}.exc").split("\n").to_h do |line|
        form, *bases = line.force_encoding(::Encoding::UTF_8).scrub.split
        [form || "", bases]
      end
    end

    def read(name)
      QueryBuilders::TermFiles.read_bytes("word_net file #{QueryBuilders::TermFiles.shown(path(name))}", path(name))
    end

    def path(name)
      "#{@directory}/#{name}"
    end

    def damaged(name)
      ConfigurationError.new("word_net file #{QueryBuilders::TermFiles.shown(path(name))} is damaged")
    end
  end
end
