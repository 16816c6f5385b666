# frozen_string_literal: true

require "cgi/escape"

module HybridSearch
  module Server
    # The search page and the OpenAPI document: files of the gem, the same in both languages (CUR-6).
    module StaticFiles
      DATA = File.expand_path("../../../data", __dir__)
      ROOT_MARK = "{{root}}"
      # The escaped apostrophe of Ruby, and that of the reference.
      APOSTROPHE = ["&#39;", "&#x27;"].freeze
      # Content security policy of the page: it may run its own script, use its own style, and call its own service.
      POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " \
               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      CONTENTS = %w[search_page.html search_page.css search_page.js openapi.json].to_h do |name|
        [name, File.binread(File.join(DATA, name)).freeze]
      end.freeze
      private_constant :DATA, :ROOT_MARK, :APOSTROPHE, :CONTENTS

      module_function

      # @return [String] the search page, for a service that is mounted at a path
      def page(root)
        CONTENTS.fetch("search_page.html").gsub(ROOT_MARK) { CGI.escapeHTML(root).gsub(*APOSTROPHE).b }
      end

      # @return [String] the style of the search page
      def style
        CONTENTS.fetch("search_page.css")
      end

      # @return [String] the script of the search page
      def script
        CONTENTS.fetch("search_page.js")
      end

      # @return [String] the OpenAPI document
      def openapi
        CONTENTS.fetch("openapi.json")
      end
    end
  end
end
