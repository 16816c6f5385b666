# frozen_string_literal: true

require "fileutils"
require "json"

module HybridSearch
  class Generations
    # Generations in the files of a directory: `000001.hsx` and so on, and `state.json`, the pointer, which is always
    # replaced as a whole. While `000002.hsx` is built, `000002.changes` is the log of changes that are written
    # meanwhile, a line for each document, and `000002.progress` is the checkpoint.
    #
    # `lock` is held by the process that writes or changes the pointer, and `building.lock` by the process that builds.
    # The system releases both if a process ends, however it ends.
    class FilePlace
      include Base::ShortInspect

      NAME = /\A\d{6,}\z/
      NEIGHBOURS = %w[.hsx .hsx-wal .hsx-shm .changes .progress].freeze
      private_constant :NAME, :NEIGHBOURS

      # @param directory [String] the directory; it is created if it is missing
      # @param timeout [Float] the number of seconds to wait for another writer
      # @param options [Hash{Symbol=>Object}] the options of each {SqliteDocStore}
      def initialize(directory, timeout, options)
        @directory = directory
        @timeout = timeout
        @options = { timeout:, **options }
        @pointer = path("state.json")
        @seen = nil
      end

      # @return [String] its name in messages
      def to_s
        "the collection #{JSON.generate(@directory)}"
      end

      # @return [Boolean] whether all users of a store open the same object
      def shared?
        false
      end

      # Return the state in the view of a reader: the pointer is read again if its file was replaced.
      #
      # @return [State, nil]
      def seen
        found = File.stat(@pointer)
        key = [found.ino, found.size, found.mtime]
        kept = @seen
        return kept[1] if kept && kept[0] == key

        state.tap { |read| @seen = [key, read].freeze }
      rescue Errno::ENOENT
        nil
      rescue SystemCallError => e
        raise failure(e)
      end

      # @return [State, nil] the current state in the pointer; nil: there is no pointer
      # @raise [DocStoreError] the pointer cannot be read
      def state
        text = reading(@pointer) { |file| file.read.force_encoding(Encoding::UTF_8) }
        return nil if text.nil?

        State.read(text) || raise(DocStoreError, "#{self} has a state.json that this version cannot read")
      end

      # @param state [State] the state that replaces the previous one, for all processes at once
      # @return [void]
      def state=(state)
        replace(@pointer, state.text)
      end

      # Hold the lock of the processes that write or change the pointer.
      #
      # @return [Object] the value of the block
      # @raise [DocStoreError] another process held it for `timeout` seconds
      def exclusively
        locking("lock") do |file|
          Waiting.until_taken(self, @timeout) { file.flock(File::LOCK_EX | File::LOCK_NB) }
          yield
        end
      end

      # Hold the lock of the process that builds.
      #
      # @return [Object] the value of the block
      # @raise [DocStoreError] another process is building
      def building
        locking("building.lock") do |file|
          raise Waiting.built(self) unless file.flock(File::LOCK_EX | File::LOCK_NB)

          yield
        end
      end

      # Create an empty generation, and replace the remains of an earlier one of this name.
      #
      # @param name [String]
      # @return [void]
      def create(name)
        remove(name)
        SqliteDocStore.open(path("#{name}.hsx"), **@options, &:count)
      end

      # @param name [String] the name of a generation
      # @return [SqliteDocStore]
      # @raise [DocStoreError] the file does not exist
      def open(name)
        file = path("#{name}.hsx")
        raise DocStoreError, "#{self} has no generation #{name} any more" unless File.exist?(file)

        SqliteDocStore.new(file, **@options)
      end

      # @param name [String] the name of a generation
      # @return [void]
      def remove(name)
        return unless NAME.match?(name)

        NEIGHBOURS.each { |ending| FileUtils.rm_f(path("#{name}#{ending}")) }
      end

      # Note changes of documents before they are made; the lock must be held.
      #
      # @param name [String] the name of the generation that is built
      # @param changes [Array<Array(String, Array<Hash>)>] pairs of a document's id and its records
      # @return [void]
      # @raise [DocStoreError] the file cannot be written
      def note(name, changes)
        lines = changes.map { |change| "#{JSON.generate(change)}\n" }.join
        writing("#{name}.changes") do |file|
          mend(file)
          file.write(lines)
        end
      end

      # @param name [String] the name of the generation that is built
      # @param position [Integer] the position to begin at: 0, or one that was returned before
      # @param most [Integer] the maximum number of changes
      # @return [Array(Array, Integer)] changes in their order, and the position of the next one
      def changes(name, position, most)
        lines = reading(path("#{name}.changes")) do |file|
          file.seek(position)
          file.each_line.take(most).select { |line| line.end_with?("\n") }
        end
        found = lines || []
        [found.map { |line| JSON.parse(line.force_encoding(Encoding::UTF_8)) },
         position + found.inject(0) { |bytes, line| bytes + line.bytesize }]
      end

      # @param name [String] the name of the generation that was built
      # @return [void]
      def forget_changes(name)
        FileUtils.rm_f([path("#{name}.changes"), path("#{name}.progress")])
      end

      # @return [Hash{String=>Object}] the checkpoint of the build; empty without a checkpoint
      def progress
        name = state&.building
        text = name && reading(path("#{name}.progress"), &:read)
        text ? JSON.parse(text) : {}
      end

      # @param progress [Hash{String=>Object}]
      # @return [void]
      def progress=(progress)
        replace(path("#{state.building}.progress"), JSON.generate(progress))
      end

      # @return [void]
      def close; end

      private

      def path(name)
        File.join(@directory, name)
      end

      def reading(file, &)
        File.open(file, "rb", &)
      rescue Errno::ENOENT
        nil
      rescue SystemCallError => e
        raise failure(e)
      end

      # Append to a file; when this returns, the data is on the disk.
      def writing(name)
        File.open(path(name), File::RDWR | File::CREAT | File::BINARY) do |file|
          yield file
          file.flush
          file.fsync
        end
      rescue SystemCallError => e
        raise failure(e)
      end

      # Go to the end of a log, and remove an incomplete last line: its writer was killed before it changed anything.
      def mend(file)
        size = file.size
        file.seek([size - 1, 0].max)
        unless size.zero? || file.read == "\n"
          file.rewind
          whole = file.each_line.inject(0) { |bytes, line| line.end_with?("\n") ? bytes + line.bytesize : bytes }
          file.truncate(whole)
        end
        file.seek(0, IO::SEEK_END)
      end

      # Replace a whole file: write it under another name, flush it to the disk, then rename it.
      def replace(file, text)
        beside = "#{file}.#{Process.pid}.#{Thread.current.object_id}.new"
        File.open(beside, "wb") do |made|
          made.write(text)
          made.flush
          made.fsync
        end
        File.rename(beside, file)
        File.open(@directory, &:fsync)
      rescue SystemCallError => e
        FileUtils.rm_f(beside)
        raise failure(e)
      end

      # Hold a lock, which belongs to the open file. It is released by name, since a child that was forked meanwhile has
      # it too.
      def locking(name)
        file = opened(name)
        begin
          yield file
        ensure
          file.flock(File::LOCK_UN)
          file.close
        end
      end

      def opened(name)
        FileUtils.mkdir_p(@directory)
        File.open(path(name), File::RDWR | File::CREAT)
      rescue SystemCallError => e
        raise failure(e)
      end

      def failure(error)
        DocStoreError.new("#{self} cannot be read or written: #{Base::Validation.plain_message(error)}")
      end
    end
  end
end
