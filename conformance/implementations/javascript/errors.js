'use strict';

// The library's own errors (ERR-1), of those that this program can raise.

class HybridSearchError extends Error {}

class InvalidInputError extends HybridSearchError {}

module.exports = { HybridSearchError, InvalidInputError };
