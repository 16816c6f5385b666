# frozen_string_literal: true

require "fcntl"

module HybridSearch
  module Stores
    module Sqlite
      # The path of an index file: the file at this path, and the log that SQLite stores next to it (SQL-4).
      class SqlitePlace
        include Base::ShortInspect

        MAGIC = "SQLite format 3\0".b.freeze
        LOG_MAGIC = ["\x37\x7f\x06\x82".b, "\x37\x7f\x06\x83".b].freeze
        LOG_HEADER = 32
        FRAME_HEADER = 24
        # The bytes of the -shm file that a process locks as long as it uses the file.
        USED = [128, 1].freeze
        # The bytes of the file itself that a process locks as long as it has the file open.
        SHARED = [0x40000002, 510].freeze
        # The format of the argument and of the result of fcntl's F_GETLK on Linux.
        LOCK = "s!s!x4q!q!l!"
        FOREIGN_LOG = "cannot be opened: the -wal file next to it belongs to another index file, which this one has " \
                      "replaced; close the programs that still have that one open, then remove the -wal and -shm files"
        private_constant :LOG_MAGIC, :LOG_HEADER, :FRAME_HEADER, :USED, :SHARED, :LOCK, :FOREIGN_LOG

        # @param path [String] the given path
        def initialize(path)
          @path = path
          @log = "#{path}-wal"
        end

        # Refuse a path at which no index file can be opened.
        #
        # @param read_only [Boolean] whether the file must exist
        # @return [void]
        # @raise [DocStoreError] no file can be opened at the path
        def check(read_only)
          raise failure("is a directory") if File.directory?(@path)

          unless File.directory?(File.dirname(File.absolute_path(@path)))
            raise failure("cannot be opened: its directory does not exist")
          end

          if File.exist?(@path)
            raise failure("is not a regular file") unless File.file?(@path)
          elsif read_only
            raise failure("does not exist")
          end
        end

        # Refuse a file that is not a database; SQLite takes a short one for an empty database.
        #
        # Closing a file removes all locks that the process has on it. So the process must not have the file open.
        #
        # @return [void]
        def check_content
          return unless File.exist?(@path)

          begin
            head = File.binread(@path, MAGIC.bytesize).to_s
          rescue SystemCallError
            raise failure("cannot be opened")
          end
          raise failure(SqliteErrors::NO_INDEX) unless ["", MAGIC].include?(head)
        end

        # @return [Array(Integer, Integer), nil] device and inode of the file at the path; nil if there is no file
        def key
          found = File.stat(@path)
          [found.dev, found.ino]
        rescue SystemCallError
          nil
        end

        # @return [Array<Object>] a value that changes if the file is written to or replaced
        # @raise [DocStoreError] there is no file, as one cannot be made at the path
        def version
          found = File.stat(@path)
          [found.ino, found.size, found.mtime, log_size.positive?]
        rescue SystemCallError
          raise failure("cannot be opened")
        end

        # @return [Integer] the size of the log, 0 if there is no log
        def log_size
          File.size?(@log) || 0
        end

        # Return whether the -shm file belongs to a replaced file: a process uses it, but none has this file open. Works
        # on Linux only. As for {#check_content}, this process must have neither file open.
        #
        # @return [Boolean]
        def of_another?
          locked?("#{@path}-shm", USED) && !locked?(@path, SHARED)
        end

        # Refuse a log that was written for another file: SQLite would apply it to this one.
        #
        # Each transaction writes the page of `state`, with its own mark and that of the previous transaction. A log of
        # this file therefore contains one such page with the mark that is in the file.
        #
        # @param page [Integer] the number of the page of `state`
        # @param mark [String] the mark in the file
        # @return [void]
        # @raise [DocStoreError] the log was written for another file
        def check_log(page, mark)
          seen = false
          File.open(@log, "rb") do |log|
            each_page(log, page) do |content|
              return nil if content.include?(mark)

              seen = true
            end
          end
          raise failure(FOREIGN_LOG) if seen
        rescue Errno::ENOENT
          nil
        rescue SystemCallError
          raise failure("cannot be opened")
        end

        private

        # Yield each content of a page in the log.
        def each_page(log, page)
          header = log.read(LOG_HEADER).to_s
          return unless LOG_MAGIC.include?(header[0, 4])

          size = header.unpack1("@8N")
          while (frame = log.read(FRAME_HEADER)) && frame[8, 8] == header[16, 8]
            if frame.unpack1("N") == page
              yield log.read(size).to_s
            else
              log.seek(size, IO::SEEK_CUR)
            end
          end
        end

        # Return whether another process has a lock.
        def locked?(path, place)
          return false unless RUBY_PLATFORM.include?("linux")

          File.open(path, "rb") do |file|
            asked = [Fcntl::F_WRLCK, IO::SEEK_SET, *place, 0].pack(LOCK)
            file.fcntl(Fcntl::F_GETLK, asked)
            asked.unpack1("s!") != Fcntl::F_UNLCK
          end
        rescue SystemCallError
          false
        end

        def failure(what)
          SqliteErrors.failure(@path, what)
        end
      end
    end
  end
end
