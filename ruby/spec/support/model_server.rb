# frozen_string_literal: true

require "json"
require "net/http"
require "open3"

# The model server of the conformance suite, in its own process; see conformance/tests/model_server.py.
class ModelServer
  ROOT = File.expand_path("../../..", __dir__)
  PYTHON = File.join(ROOT, ".venv/bin/python")

  # @return [ModelServer] the one server of this run, ended with it
  def self.shared
    @shared ||= new.tap { |server| at_exit { server.stop } }
  end

  attr_reader :url

  def initialize
    python = File.exist?(PYTHON) ? PYTHON : "python3"
    @input, output, @process = Open3.popen2(python, "-m", "conformance.tests.model_server", chdir: ROOT)
    @url = "http://127.0.0.1:#{JSON.parse(output.gets).fetch("port")}"
  end

  # @return [String] the address of the services under a name, which will take these steps
  def tell(name, steps = [])
    Net::HTTP.post(URI("#{url}/control/#{name}"), JSON.generate(steps), "Content-Type" => "application/json")
    "#{url}/#{name}"
  end

  def log(name)
    seen(name).fetch("requests")
  end

  def most(name)
    seen(name).fetch("most")
  end

  def stop
    @input.close
    @process.value
  end

  private

  def seen(name)
    JSON.parse(Net::HTTP.get(URI("#{url}/log/#{name}")))
  end
end
