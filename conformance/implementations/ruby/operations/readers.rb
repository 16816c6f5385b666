# frozen_string_literal: true

# Operations of the readers of files (FIL-1 … FIL-6).

require "fileutils"
require "tmpdir"

# Write files, whose contents are texts or base64.
write = lambda do |folder, files, encoded|
  contents = files.merge(encoded.transform_values { |text| text.unpack1("m") })
  contents.each do |name, content|
    FileUtils.mkdir_p(File.dirname(File.join(folder, name)))
    File.binwrite(File.join(folder, name), content)
  end
end

# The same plain data without the path of a folder.
without = lambda do |folder, value|
  case value
  when String then value.gsub(folder, "")
  when Array then value.map { |each| without.call(folder, each) }
  when Hash then value.transform_values { |each| without.call(folder, each) }
  else value
  end
end

Conformance.operation("readers.records") do |params, given, trace|
  Dir.mktmpdir do |name|
    write.call(name, given.fetch("files", {}), given.fetch("encoded", {}))
    walk = begin
      HybridSearch::Readers::FileWalk.new(given["paths"].map { |path| "#{name}/#{path}" })
    rescue HybridSearch::InvalidInputError => e
      raise HybridSearch::InvalidInputError, without.call("#{name}/", e.message)
    end
    chunker = HybridSearch::Chunker.new(**params["options"].transform_keys(&:to_sym))
    reader = HybridSearch::Readers::FileReader.new(chunker, params["mapping"], params["other_keys"])
    found = walk.files.to_a
    trace.stage("read", found.map { |file| [without.call("#{name}/", file.path), file.kind] })
    read = found.flat_map do |file|
      reader.records(file).map { |record| [record.path, record.number, record.record, record.text, record.reason] }
    end
    skipped = walk.skipped.map { |file| [file.path, file.reason] }
    without.call("#{name}/", { "records" => read, "skipped" => skipped })
  end
end

Conformance.operation("readers.matches") do |_params, given, _trace|
  pattern = HybridSearch::Readers::GlobPattern.new(given["pattern"])
  { "folder" => pattern.folder, "paths" => given["paths"].select { |path| pattern.matches?(path) } }
end

# Methods of a step → what it does with the files of the current folder.
changes = {
  "write" => ->(files, encoded = {}) { write.call(".", files, encoded) && nil },
  "remove" => ->(name) { File.unlink(name) && nil },
  "link" => ->(name) { File.symlink("nowhere", name) && nil }
}

documents = lambda do |index, folder|
  found = without.call(folder, index.each(match_all: true).map { |hit| index.get(hit.id) })
  found.map { |each| [each["id"], each.dig("metadata", "path"), each["content"]] }.sort_by(&:first)
end

read = lambda do |index, folder, paths, options|
  paths = paths.map { |path| path.gsub("{folder}", folder) }
  found = index.add_files(paths, **(options || {}).transform_keys(&:to_sym))
  counts = %w[read unchanged added updated removed].to_h { |name| [name, found.public_send(name)] }
  { **counts, "skipped" => found.skipped.map { |file| { "path" => file.path, "reason" => file.reason } } }
rescue HybridSearch::Error => e
  { "error" => e.class.name.split("::").last, "message" => e.message }
end

Conformance.operation("readers.added") do |_params, given, _trace|
  Dir.mktmpdir do |folder|
    Dir.chdir(folder) do
      write.call(folder, given.fetch("files", {}), given.fetch("encoded", {}))
      index = HybridSearch::Index.new(embedding: nil)
      given["steps"].map do |method, argument, options|
        case method
        when *changes.keys then changes[method].call(*[argument, options].compact)
        when "records" then index.add(argument)
        when "documents" then documents.call(index, folder)
        else without.call(folder, read.call(index, folder, argument, options))
        end
      end
    end
  end
end
