# frozen_string_literal: true

require "fileutils"
require "json"

module HybridSearch
  class Generations
    # Generations in the files of a directory: `000001.hsx` for each, and `state.json`, the pointer, which is replaced
    # whole. While one is built, `000002.changes` is the log of what is written meanwhile, a line for each document, and
    # `000002.progress` the checkpoint.
    #
    # `lock` is held by the process that writes or changes the pointer, and `building.lock` by the one that builds. The
    # system takes both from a process that ends, however it does.
    class FilePlace
      include Base::ShortInspect

      NAME = /\A\d{6,}\z/
      NEIGHBOURS = %w[.hsx .hsx-wal .hsx-shm .changes .progress].freeze
      private_constant :NAME, :NEIGHBOURS

      # @param directory [String] made where there is none
      # @param timeout [Float] seconds for which another writer is waited for
      # @param options [Hash{Symbol=>Object}] of each {SqliteDocStore}
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

      # @return [Boolean] whether stores are the same objects for all who open them
      def shared?
        false
      end

      # The state as a reader sees it: the pointer is read where its file is another one than before.
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

      # @return [State, nil] the state as the pointer has it now; nil: there is no pointer
      # @raise [DocStoreError] it cannot be read
      def state
        text = reading(@pointer) { |file| file.read.force_encoding(Encoding::UTF_8) }
        return nil if text.nil?

        State.read(text) || raise(DocStoreError, "#{self} has a state.json that this version cannot read")
      end

      # @param state [State] takes the place of the one before, for all processes at once
      # @return [void]
      def state=(state)
        replace(@pointer, state.text)
      end

      # Hold the lock of those who write or change the pointer.
      #
      # @return [Object] what the block gives
      # @raise [DocStoreError] another process held it for `timeout` seconds
      def exclusively
        locking("lock") do |file|
          Waiting.until_taken(self, @timeout) { file.flock(File::LOCK_EX | File::LOCK_NB) }
          yield
        end
      end

      # Be the one who builds.
      #
      # @return [Object] what the block gives
      # @raise [DocStoreError] another does
      def building
        locking("building.lock") do |file|
          raise Waiting.built(self) unless file.flock(File::LOCK_EX | File::LOCK_NB)

          yield
        end
      end

      # Make an empty generation, instead of the remains of one of this name.
      #
      # @param name [String]
      # @return [void]
      def create(name)
        remove(name)
        SqliteDocStore.open(path("#{name}.hsx"), **@options, &:count)
      end

      # @param name [String] of a generation
      # @return [SqliteDocStore]
      # @raise [DocStoreError] there is no such file
      def open(name)
        file = path("#{name}.hsx")
        raise DocStoreError, "#{self} has no generation #{name} any more" unless File.exist?(file)

        SqliteDocStore.new(file, **@options)
      end

      # @param name [String] of a generation
      # @return [void]
      def remove(name)
        return unless NAME.match?(name)

        NEIGHBOURS.each { |ending| FileUtils.rm_f(path("#{name}#{ending}")) }
      end

      # Note changes of documents, before they are made; under the lock.
      #
      # @param name [String] of the generation that is built
      # @param changes [Array<Array(String, Array<Hash>)>] each the id of a document, and its records
      # @return [void]
      # @raise [DocStoreError] the file cannot be written
      def note(name, changes)
        lines = changes.map { |change| "#{JSON.generate(change)}\n" }.join
        writing("#{name}.changes") do |file|
          mend(file)
          file.write(lines)
        end
      end

      # @param name [String] of the generation that is built
      # @param position [Integer] where to begin: 0, or what was returned before
      # @param most [Integer] the largest number of changes
      # @return [Array(Array, Integer)] changes in their order, and where the next one begins
      def changes(name, position, most)
        lines = reading(path("#{name}.changes")) do |file|
          file.seek(position)
          file.each_line.take(most).select { |line| line.end_with?("\n") }
        end
        found = lines || []
        [found.map { |line| JSON.parse(line.force_encoding(Encoding::UTF_8)) },
         position + found.inject(0) { |bytes, line| bytes + line.bytesize }]
      end

      # @param name [String] of the generation that was built
      # @return [void]
      def forget_changes(name)
        FileUtils.rm_f([path("#{name}.changes"), path("#{name}.progress")])
      end

      # @return [Hash{String=>Object}] the checkpoint of the build; empty where there is none
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

      # Append to a file; what is acknowledged is on the disk.
      def writing(name)
        File.open(path(name), File::RDWR | File::CREAT | File::BINARY) do |file|
          yield file
          file.flush
          file.fsync
        end
      rescue SystemCallError => e
        raise failure(e)
      end

      # Go to the end of a log, and drop half a line there: its writer was killed before it changed anything.
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

      # Replace a file whole: under another name, on the disk, then renamed.
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

      # A lock belongs to the open file. It is given back by name, since a child that was forked meanwhile has it too.
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
