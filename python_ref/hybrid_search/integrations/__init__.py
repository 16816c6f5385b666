"""An index in the form of other frameworks: LangChain, LlamaIndex, Haystack and MCP; Python only, optional extras.

Nothing here is loaded by the rest of the package. Each module needs the package of its extra.
"""
