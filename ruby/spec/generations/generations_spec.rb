# frozen_string_literal: true

require "spec_helper"
require "hybrid_search/generations"
require "securerandom"
require "support/generations_examples"
require "support/generations_helpers"
require "support/postgres_stores"
require "support/sqlite_gem"
require "tmpdir"

RSpec.describe HybridSearch::Generations do
  include GenerationsHelpers

  describe "in memory" do
    # One collection for all callers with the same options; with other options, the spec shares the place itself.
    def opened(**options)
      made = described_class.memory(**options)
      @place ||= made.instance_variable_get(:@place)
      described_class.send(:new, options.key?(:timeout) ? hurried(options[:timeout]) : @place,
                           **options.except(:timeout, :store))
    end

    def hurried(timeout)
      @place.dup.tap { |place| place.instance_variable_set(:@timeout, timeout) }
    end

    it_behaves_like "generations"
  end

  describe "in files" do
    missing = SqliteGem.missing
    around do |example|
      next skip(missing) if missing

      Dir.mktmpdir { |folder| @folder = folder and example.run }
    end

    after { @opened&.each(&:close) }

    def opened(**options)
      made = described_class.files(File.join(@folder, "search/articles"), **options)
      (@opened ||= []) << made
      made
    end

    def files
      Dir.children(File.join(@folder, "search/articles")).sort
    end

    it_behaves_like "generations"

    it "leaves no file behind" do
      index = opened
      index.upsert([record(1)])
      index.reindex([record(1)])
      index.clean(grace: 0)
      index.reindex([record(1)], promote: false)
      index.abandon
      index.close
      expect(files).to eq(%w[000002.hsx building.lock lock state.json])
    end

    it "removes the partial line of a killed writer from the log, and the files of a killed builder" do
      index = opened
      index.upsert([record(1)])
      index.reindex([record(1)], promote: false)
      index.upsert([record(2)])
      log = File.join(@folder, "search/articles/000002.changes")
      File.write(log, "[\"3\",[{\"id\":\"3\",\"cont", mode: "a")
      index.upsert([record(4)])
      expect(File.read(log).lines.map { |line| JSON.parse(line)[0] }).to eq(%w[2 4])
      File.write(log, "[\"5\",[{\"id\":\"5\",\"cont", mode: "a")
      index.promote
      expect(index.ids.to_a).to eq(%w[1 2 4])
      File.write(File.join(@folder, "search/articles/000003.hsx"), "half a file")
      index.reindex([record(6)])
      expect(index.ids.to_a).to eq(["6"])
    end

    it "follows changes in a forked child, which writes too" do
      index = opened
      index.upsert([record(1)])
      child = fork do
        sleep(0.01) until index.status.active == "000002"
        index.upsert([record(3)])
        exit!(index.ids.to_a == %w[2 3])
      end
      index.reindex([record(2)])
      expect([Process.wait2(child)[1].exitstatus, index.ids.to_a]).to eq([0, %w[2 3]])
    end

    it "reports what is wrong with a place" do
      File.write(File.join(@folder, "file"), "")
      expect { described_class.files(File.join(@folder, "file/articles")).count }
        .to raise_error(HybridSearch::DocStoreError, /\Athe collection ".+" cannot be read or written: Not a directory/)
      expect { described_class.files("") }.to raise_error(HybridSearch::InvalidInputError, /the path of a directory/)
      opened.count
      File.write(File.join(@folder, "search/articles/state.json"), "{\"format\":2}")
      expect { opened.count }.to raise_error(HybridSearch::DocStoreError, /a state.json that this version cannot read/)
    end
  end

  describe "in PostgreSQL", engines: true do
    let(:url) { engine_url("postgres") }
    let(:collection) { "generations \"#{SecureRandom.hex(8)}" }

    after do
      @opened&.each(&:close)
      PostgresStores.new(url).connected do |connection|
        connection.set_notice_processor { nil }
        names = connection.exec("select nspname from pg_namespace").column_values(0)
        names.select { |name| name.start_with?(collection) }.each do |name|
          connection.exec("drop schema if exists #{connection.quote_ident(name)} cascade")
        end
      end
    end

    def opened(**options)
      made = described_class.postgres(url, collection:, refresh: 0, **options)
      (@opened ||= []) << made
      made
    end

    it_behaves_like "generations"

    it "refuses the schema of another program, and other connections" do
      HybridSearch::PostgresDocStore.open(url, collection:, &:count)
      expect { opened.count }.to raise_error(HybridSearch::DocStoreError, /the schema of this name holds other tables/)
      expect { described_class.postgres(Object.new, collection:) }
        .to raise_error(HybridSearch::InvalidInputError, /a URL or the pool of ActiveRecord/)
      expect { described_class.postgres(url, collection: "x" * 57) }
        .to raise_error(HybridSearch::InvalidInputError, /a name of 1 to 56 bytes/)
    end

    it "trusts a pointer for a limited time" do
      index = opened
      index.upsert([record(1)])
      patient, quick = [300, 0.05].map { |refresh| described_class.postgres(url, collection:, refresh:) }
      expect([patient.ids.to_a, quick.ids.to_a]).to eq([["1"], ["1"]])
      index.reindex([record(2)])
      sleep(0.1)
      expect([patient.ids.to_a, quick.ids.to_a]).to eq([["1"], ["2"]])
    ensure
      [patient, quick].compact.each(&:close)
    end
  end
end
