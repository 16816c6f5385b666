# frozen_string_literal: true

require "zlib"

module HybridSearch
  # A collection in the form of BEIR (IDX-3): a folder with `corpus.jsonl`, `queries.jsonl` and judgements in
  # `qrels/test.tsv` or `qrels.tsv`. Each file may be compressed: `corpus.jsonl.gz`. Files are read when they are
  # needed.
  #
  #   collection = HybridSearch::BeirCollection.new("scifact")
  #   index = HybridSearch::Index.new
  #   index.add(collection.records)
  #   collection.queries.each { |identifier, question| puts [identifier, *index.search(question).map(&:id)].join(" ") }
  class BeirCollection
    include Base::ShortInspect
    include Base::KnownNames

    MARK = "\xEF\xBB\xBF".b.freeze
    SCORE = /\A-?[0-9]{1,9}\z/
    SHOWN = /[^ \t\r\n]/n
    private_constant :MARK, :SCORE, :SHOWN

    # @param folder [String, #to_path] the path of the folder
    # @raise [InvalidInputError] `folder` is not the path of a folder
    def initialize(folder = Base::Validation::NOT_GIVEN, *more, **unknown)
      folder = Base::Validation.argument("BeirCollection", "folder", [folder, *more], unknown, [])
      given = folder.respond_to?(:to_path) ? folder.to_path : folder
      unless given.is_a?(::String) && !given.include?("\0") && File.directory?(given)
        raise Base::Validation.failure("folder", given, "the path of a folder")
      end

      @folder = given.dup.freeze
    end

    # Return a stream of records: `_id` is the id, `text` the content; keys that records do not have are metadata.
    #
    # @return [Enumerator<Hash{String=>Object}>]
    # @raise [InvalidInputError] there is no corpus, or a line is not an object with an `_id`
    def records
      mapping = Records::RecordMapping.new({ "id" => "_id", "content" => "text" }, Records::RecordMapping::METADATA)
      Enumerator.new do |records|
        objects(file("corpus.jsonl")) do |place, line|
          raise InvalidInputError, "#{place} has no _id" if line["_id"].nil?

          records << mapping.record({ "text" => "", **line.compact })
        end
      end
    end

    # Return the queries: id => text, in the order of the file.
    #
    # @return [Hash{String=>String}]
    # @raise [InvalidInputError] there are no queries, or a line is not an object with the texts `_id` and `text`
    def queries
      found = {}
      objects(file("queries.jsonl")) do |place, line|
        identifier, text = line.values_at("_id", "text")
        unless identifier.is_a?(::String) && text.is_a?(::String)
          raise InvalidInputError, "#{place} must have the texts _id and text"
        end

        found[identifier] = text
      end
      found
    end

    # Return the judgements: id of a query => id of a document => score.
    #
    # @param split [String] the name of the file in `qrels`, without its ending; a collection with a single file
    #   `qrels.tsv` has no other split
    # @return [Hash{String=>Hash{String=>Integer}}]
    # @raise [InvalidInputError] there are no such judgements, or a line does not have an id, an id and a whole number
    def qrels(split = "test")
      name = "qrels/#{Base::Validation.text("split", split)}.tsv"
      if split.match?(%r{[/\\\0]})
        raise Base::Validation.failure("split", split, "the name of a split: test, dev, train")
      end

      found = {}
      lines(file(name, *("qrels.tsv" if split == "test"))) do |place, number, line|
        columns = line.split("\t", -1)
        if columns.size == 3 && SCORE.match?(columns[2].to_s)
          (found[columns[0]] ||= {})[columns[1]] = columns[2].to_i
        elsif number > 1
          raise InvalidInputError, "#{place} must have the id of a query, the id of a document and a whole number"
        end
      end
      found
    end

    private

    # Return the path of the file with one of these names, compressed or not.
    def file(*names)
      names = names.flat_map { |name| [name, "#{name}.gz"] }
      names.find { |name| File.file?(File.join(@folder, name)) } ||
        raise(InvalidInputError, "folder must have #{names.join(" or ")}")
    end

    def objects(file)
      lines(file) do |place, _, line|
        content = Base::StrictJson.parse_object(line)
        raise InvalidInputError, "#{place} is not a JSON object" if content.nil?

        yield place, content
      end
    end

    # Return the lines that are not blank, each with its place for messages and its number from 1.
    def lines(file)
      number = 0
      each_line(file) do |data|
        number += 1
        line = (number == 1 ? data.b.delete_prefix(MARK) : data.b).chomp
        next unless SHOWN.match?(line)

        line.force_encoding(Encoding::UTF_8)
        raise InvalidInputError, "#{file} is not valid UTF-8" unless line.valid_encoding?

        yield "#{file}:#{number}", number, line
      end
    rescue SystemCallError, IOError, Zlib::Error
      raise InvalidInputError, "#{file} cannot be read"
    end

    def each_line(file, &)
      File.open(File.join(@folder, file), "rb") do |stream|
        file.end_with?(".gz") ? Zlib::GzipReader.zcat(stream, &) : stream.each_line(&)
      end
    end
  end
end
