# frozen_string_literal: true

# Makes calls with the Ruby clients, as a process of its own: what `calls.py` does, see there.
require "json"
require "hybrid_search"

CROWD = 8

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

# The caller's own work after a call: what is raised in it was thrown by someone else.
def work(seconds)
  until_at = now + seconds
  sleep(0.001) while now < until_at
  nil
rescue Exception => e # rubocop:disable Lint/RescueException
  e.inspect
end

# A figure of this process's memory in bytes: `VmRSS` now, `VmHWM` at the most.
def memory(field)
  File.read("/proc/self/status")[/^#{field}:\s+(\d+)/, 1].to_i * 1024
end

def descriptors
  Dir.children("/proc/self/fd").size
end

# All that can be seen of an error, its causes too.
def shown(problem)
  told = []
  while problem
    told << problem.message << problem.inspect << problem.full_message
    told << problem.instance_variables.map { |name| problem.instance_variable_get(name).inspect }.join
    problem = problem.cause
  end
  told
end

def client_of(call, secret)
  options = { api_key: -> { secret } }.merge(call["options"].transform_keys(&:to_sym))
  return HybridSearch::OpenAiEmbedder.new(call["url"], "model", **options) if call["kind"] == "embedder"

  HybridSearch::HttpReranker.new(call["url"], "model", **options)
end

def ask(client, call, texts)
  call["kind"] == "embedder" ? client.encode(texts) : client.similarity("q", texts)
end

def make(call, job)
  made = { "id" => call["id"], "class" => nil, "message" => nil, "value" => nil, "memory" => nil, "shown" => [] }
  client = client_of(call, job["secret"])
  texts = call["texts"].map { |text| text * call["repeat"] }
  measured = job["where"] == "measured"
  if measured
    GC.start
    File.write("/proc/self/clear_refs", "5")
    before = memory("VmRSS")
  end
  started = now
  begin
    made["value"] = ask(client, call, texts)
    made["seconds"] = now - started
  rescue Exception => e # rubocop:disable Lint/RescueException
    made["seconds"] = now - started
    name = e.class.name.split("::").last
    made["class"] = e.is_a?(HybridSearch::Error) ? name : "undocumented #{name}"
    made["message"] = e.message
    made["shown"] = shown(e)
  end
  made["memory"] = memory("VmHWM") - before if measured
  made["shown"] << client.inspect
  made["later"] = work(0.02)
  made
end

def crowd(job)
  waiting = Thread::Queue.new(job["calls"]).close
  made = Thread::Queue.new
  take = lambda do
    while (call = waiting.pop)
      made << make(call, job)
    end
  end
  threads = Array.new(CROWD) { Thread.new(&take) }
  take.call
  threads.each(&:join)
  Array.new(made.size) { made.pop }
end

def run(job)
  one_by_one = -> { job["calls"].map { |call| make(call, job) } }
  case job["where"]
  when "crowd" then crowd(job)
  when "thread" then Thread.new(&one_by_one).value
  else one_by_one.call
  end
end

job = JSON.parse($stdin.read)
job.fetch("before", []).each { |call| make(call, job) }
descriptors_before = descriptors
threads = Thread.list.size
calls = run(job)
later = work(0.3)
GC.start
until_at = now + job.fetch("patience", 0.0)
sleep(0.05) while Thread.list.size > threads && now < until_at
puts JSON.generate({ calls:, later: [later].compact, threads: Thread.list.size - threads,
                     descriptors: descriptors - descriptors_before })
