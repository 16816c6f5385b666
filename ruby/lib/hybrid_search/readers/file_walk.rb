# frozen_string_literal: true

module HybridSearch
  module Readers
    # A file to read.
    class FoundFile
      include Base::Value

      # @return [String] its path in plain form, as in records
      attr_reader :path
      # @return [String] one of the kinds of {FileKinds}
      attr_reader :kind

      def initialize(path:, kind:)
        @path = path
        @kind = kind
        freeze
      end
    end

    # A file that is not read.
    class SkippedFile
      include Base::Value

      # @return [String] its path
      attr_reader :path
      # @return [String] the reason why it is not read
      attr_reader :reason

      def initialize(path:, reason:)
        @path = path
        @reason = reason
        freeze
      end
    end

    # Finds the files that paths, folders and patterns name (FIL-1), in the order of the paths and, within a folder, of
    # the names.
    class FileWalk
      include Base::ShortInspect

      # The folders of version control whose names do not begin with a full stop.
      VERSION_CONTROL = %w[CVS _darcs].freeze
      SYMBOLIC_LINK = "a symbolic link"
      NOT_REGULAR = "not a regular file"
      NOT_UNICODE = "its name is not valid UTF-8"

      # @return [Array<SkippedFile>] the files in folders that have been skipped so far
      attr_reader :skipped

      # @param path [String]
      # @return [String] the path in plain form: without empty segments and segments that are `.`; "" is the current
      #   folder
      # @raise [InvalidInputError] the value is not a path
      def self.plain_path(path)
        if Base::Validation.text("path", path).empty? || path.include?("\0")
          raise Base::Validation.failure("path", path, "the path of a file or a folder, or a pattern")
        end

        plain = path.split("/").reject { |segment| ["", "."].include?(segment) }.join("/")
        path.start_with?("/") ? "/#{plain}" : plain
      end

      # @param paths [Array<String>] files, folders, and patterns with `*`, `?` and `**`
      # @raise [InvalidInputError] a path is empty, or does not exist
      def initialize(paths)
        @named = []
        @skipped = []
        @places = paths.map { |path| place(path) }
      end

      # Find the files, each once.
      #
      # @yieldparam file [FoundFile]
      # @return [Enumerator, void]
      def files
        return enum_for(:files) unless block_given?

        seen = {}
        @places.each do |place, pattern|
          below(place) do |path|
            next if seen.key?(path) || (pattern && !pattern.matches?(path))

            seen[path] = true
            kind = FileKinds.kind_of(path) || unknown_kind(path, place)
            yield FoundFile.new(path:, kind:) if kind
          end
        end
      end

      # @param path [String]
      # @return [Boolean] whether a file of this path would be found, if it existed
      def covers?(path)
        @places.any? do |place, pattern|
          next pattern.matches?(path) if pattern

          place == path || (!@named.include?(place) && within?(path, place))
        end
      end

      # @param path [String]
      # @return [Boolean] whether the paths of the walk name exactly this file
      def names?(path)
        @named.include?(path)
      end

      # @return [Array<String>] the folders that contain its files; "" is the current folder
      def folders
        @places.map { |place, _| @named.include?(place) ? place.rpartition("/").first : place }
      end

      # @return [FileWalk] a later walk over the same paths; files that were named may be missing by then
      # @raise [InvalidInputError] a folder is missing
      def again
        @places.each do |place, _|
          next if @named.include?(place) || File.directory?(place.empty? ? "." : place)

          raise InvalidInputError, "#{Base::Validation.describe(place)} is neither a file nor a folder"
        end
        dup
      end

      private

      def initialize_copy(_other)
        @skipped = []
      end

      def place(path)
        plain = FileWalk.plain_path(path)
        return [plain, nil] if File.directory?(plain.empty? ? "." : plain)

        if File.exist?(plain)
          @named << plain
          return [plain, nil]
        end
        if GlobPattern.magic?(plain)
          pattern = GlobPattern.new(plain)
          return [pattern.folder, pattern] if File.directory?(pattern.folder.empty? ? "." : pattern.folder)
        end
        raise InvalidInputError, "#{Base::Validation.describe(path)} is neither a file nor a folder"
      end

      # Return the kind of a file with an unknown extension: without any extension, a named file contains records;
      # others in folders are skipped.
      def unknown_kind(path, place)
        ending = FileKinds.extension_of(path)
        return ending.empty? ? FileKinds::JSONL : FileKinds::UNKNOWN if @named.include?(place)

        skip(path, "no reader for #{ending.empty? ? "a file without an extension" : ending}")
        nil
      end

      # Yield the regular files in a folder and its subfolders; links are never followed, so there are no circles.
      def below(folder)
        if @named.include?(folder) # it may have been removed since
          yield folder if File.exist?(folder) || File.symlink?(folder)
          return
        end

        waiting = [folder]
        until waiting.empty?
          current = waiting.pop
          folders = []
          names(current).each do |name|
            path = inside(current) + name
            type = type_of(path)
            next if type.nil? || name.b.start_with?(".") || (type == "directory" && VERSION_CONTROL.include?(name))

            if type == "directory"
              folders << path
            elsif type == "file" && path.valid_encoding?
              yield path
            else
              skip_unread(path, type)
            end
          end
          waiting.concat(folders.reverse)
        end
      end

      # Return the names in a folder, in the order of their bytes; an unreadable folder is skipped.
      def names(folder)
        Dir.children(folder.empty? ? "." : folder, encoding: Encoding::UTF_8).sort_by(&:b)
      rescue SystemCallError => e
        skip(folder.empty? ? "." : folder, FileBytes.reason_of(e))
        []
      end

      def type_of(path)
        File.lstat(path).ftype
      rescue Errno::ENOENT # removed meanwhile
        nil
      end

      def skip_unread(path, type)
        reason = type == "link" ? SYMBOLIC_LINK : NOT_REGULAR
        skip(path.scrub("?"), path.valid_encoding? ? reason : NOT_UNICODE)
      end

      def skip(path, reason)
        @skipped << SkippedFile.new(path:, reason:)
      end

      def inside(folder)
        ["", "/"].include?(folder) ? folder : "#{folder}/"
      end

      def within?(path, folder)
        folder.empty? ? !path.start_with?("/", "../") : path.start_with?(inside(folder))
      end
    end
  end
end
