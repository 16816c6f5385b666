"""The contents of an index file (SQL-1): an SQLite database of these tables.

Documents have *numbers* from 0; the numbers of removed documents are reused. A *place* is number · 2^32 + position.
Places and texts are packed (`sqlite_packing`); lengths, norms and components are stored in blobs, lowest byte first.
Ids, names and tokens are blobs of UTF-8, as SQLite guarantees nothing for texts that contain U+0000. A row's `checksum`
(see `row_checksum`) covers its other columns, except `terms.term`. In `documents`, `id_checksum` covers number and id,
and `checksum` number and attributes.
"""

APPLICATION = 0x48535831
"""The `application_id`: HSX1."""
VERSION = 4
"""The `user_version`: the version of the tables below; later versions of the library write files with higher ones."""

TOKENS, ATTRIBUTES, DOCUMENTS = 0, 1, 2
"""The kinds of fields: tokens of a text field, values of an attribute, and one with a term that all documents have."""

PAGE_SIZE = 8192
VECTORS_IN_BLOCK = 256

CHANGES = """CREATE TABLE IF NOT EXISTS changes (
  generation INTEGER PRIMARY KEY, -- that the batch has made
  mark BLOB NOT NULL, -- of its transaction
  numbers BLOB NOT NULL, -- of the documents that it has touched, ascending, 32 bits each; empty: not known
  checksum INTEGER NOT NULL
)"""
"""The table of the last batches (SQL-8). Earlier commits do not know it; it is created by the next batch."""

TABLES = f"""
CREATE TABLE state (
  id INTEGER PRIMARY KEY CHECK (id = 0),
  generation INTEGER NOT NULL, -- batches that have changed documents
  documents INTEGER NOT NULL,
  numbers INTEGER NOT NULL, -- all numbers are below
  fields INTEGER NOT NULL, -- rows of `fields`
  mark BLOB NOT NULL, -- 16 bytes that each transaction draws
  before BLOB NOT NULL, -- the mark of the transaction before
  checksum INTEGER NOT NULL
);
CREATE TABLE documents (
  number INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  id_checksum INTEGER NOT NULL,
  attributes TEXT NOT NULL, -- JSON: the fields that are in no other table
  checksum INTEGER NOT NULL
);
CREATE TABLE texts (
  number INTEGER PRIMARY KEY,
  content BLOB NOT NULL, -- packed JSON: all fields in their order, null for those in `attributes`; the vector fields
  checksum INTEGER NOT NULL
);
CREATE TABLE notes (
  name BLOB PRIMARY KEY,
  text BLOB NOT NULL, -- UTF-8
  checksum INTEGER NOT NULL
);
CREATE TABLE free_numbers (number INTEGER PRIMARY KEY);
CREATE TABLE fields (
  field INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  name BLOB NOT NULL,
  documents INTEGER NOT NULL, -- documents that have the field
  tokens INTEGER NOT NULL, -- tokens that these have together
  terms INTEGER NOT NULL, -- different ones of these
  blocks INTEGER NOT NULL, -- rows of `lengths`
  checksum INTEGER NOT NULL,
  UNIQUE (kind, name)
);
CREATE TABLE terms (
  term INTEGER PRIMARY KEY,
  field INTEGER NOT NULL,
  token BLOB NOT NULL,
  documents INTEGER NOT NULL, -- how many hold it
  chunks INTEGER NOT NULL, -- how many rows of postings it has
  places BLOB NOT NULL, -- packed: the last ones, behind those in the chunks
  checksum INTEGER NOT NULL,
  UNIQUE (field, token)
);
CREATE TABLE postings (
  chunk INTEGER PRIMARY KEY, -- term · 2^32 + the number of the first place
  places BLOB NOT NULL, -- packed
  checksum INTEGER NOT NULL
);
CREATE TABLE frequencies (
  field INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  terms INTEGER NOT NULL, -- terms that are in that many documents
  checksum INTEGER NOT NULL,
  PRIMARY KEY (field, documents)
) WITHOUT ROWID;
CREATE TABLE lengths (
  block INTEGER PRIMARY KEY, -- field · 2^32 + number / 1024
  lengths BLOB NOT NULL, -- 32 bits each; -1: without the field
  checksum INTEGER NOT NULL
);
CREATE TABLE vectors (
  vector INTEGER PRIMARY KEY, -- field · 2^32 + number
  content BLOB NOT NULL, -- the norm, 64 bits, and the components: 32 bits where these hold each exactly, else 64
  checksum INTEGER NOT NULL
);
CREATE TABLE sketches (
  block INTEGER PRIMARY KEY, -- field · 2^32 + number / 256
  generation INTEGER NOT NULL, -- of the last change
  ratios BLOB NOT NULL, -- of each vector, 64 bits
  errors BLOB NOT NULL, -- of each vector, 64 bits; -1.0: there is none
  steps BLOB NOT NULL, -- the first component of each vector, then the second: 8 bits
  checksum INTEGER NOT NULL
);
CREATE TABLE vector_models (
  field BLOB PRIMARY KEY,
  model BLOB NOT NULL, -- UTF-8: the name of the model that made its vectors; empty: not known
  origin BLOB NOT NULL, -- index: embedded by an index; records: brought by records; both; empty: not known
  checksum INTEGER NOT NULL
) WITHOUT ROWID;
{CHANGES};
"""
