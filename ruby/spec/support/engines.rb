# frozen_string_literal: true

# Addresses of engines for specs tagged `engines: true`. `rake engines` runs them; without an engine they are
# skipped with the command that starts it.
module Engines
  VARIABLES = { "postgres" => "HYBRID_SEARCH_POSTGRES_URL", "opensearch" => "HYBRID_SEARCH_OPENSEARCH_URL",
                "oceanbase" => "HYBRID_SEARCH_OCEANBASE_URL" }.freeze

  # The address of an engine; of several nodes, with commas between them.
  def engine_url(kind)
    variable = VARIABLES.fetch(kind)
    ENV.fetch(variable) do
      skip("#{variable} is not set: no #{kind} runs for specs (bin/engines run #{kind} -- bin/test engines)")
    end
  end
end
