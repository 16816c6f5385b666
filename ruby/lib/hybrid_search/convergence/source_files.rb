# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Reads the lines of source files, but never outside their repository (CNV-5).
    class SourceFiles
      include Base::ShortInspect

      # Larger files are not read.
      MOST_BYTES = 16 * 1024 * 1024
      LINE_END = /\r\n|\r|\n/
      FLAGS = %w[RDONLY NOFOLLOW NONBLOCK BINARY].inject(0) do |flags, name|
        flags | (File.const_defined?(name) ? File.const_get(name) : 0)
      end
      private_constant :LINE_END, :FLAGS

      # @param repos_root [String] the folder of all repositories
      # @param repo_name [String] the folder of this repository, which must be below `repos_root` after links are
      #   resolved
      def initialize(repos_root, repo_name)
        @root = repos_root
        @name = repo_name
        @path = nil
        @lines = nil
      end

      # @param path [String]
      # @return [Array<String>, nil] the lines of a regular file in the repository; nil if there is no such file, or it
      #   is too large
      def lines(path)
        if @path != path
          @lines = read(path)
          @path = path
        end
        @lines
      end

      private

      def inspected
        { root: @root, name: @name }
      end

      def read(path)
        content = content(path)
        return if content.nil?

        lines = content.force_encoding(Encoding::UTF_8).scrub("\u{FFFD}").split(LINE_END, -1)
        lines = [""] if lines.empty?
        lines.last.empty? ? lines[0...-1] : lines
      rescue SystemCallError, ArgumentError
        nil
      end

      def content(path)
        real = place(path)
        return if real.nil?

        File.open(real, FLAGS) do |file|
          found = file.stat
          next unless found.file? && found.size <= MOST_BYTES

          # The file may have been replaced after the check.
          next unless place(path) == real && same?(found, File.lstat(real))

          content = file.read(MOST_BYTES + 1) || +""
          content if content.bytesize <= MOST_BYTES
        end
      end

      def same?(left, right)
        left.dev == right.dev && left.ino == right.ino
      end

      # Return the real path of a file of the repository; nil if it is outside.
      def place(path)
        root = File.realdirpath(@root)
        repository = under(root, @name)
        repository && under(repository, path)
      end

      # Return the real path of a path in a folder; nil if it is outside.
      def under(folder, path)
        return if path.start_with?("/") || path.split("/").include?("..")

        place = File.realpath(File.join(folder, path))
        place if place.start_with?("#{folder.delete_suffix("/")}/")
      end
    end
  end
end
