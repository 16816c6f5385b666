--- create_documents
create table if not exists `{collection}_documents` (
  number bigint not null primary key,
  id varbinary(2048) not null, -- UTF-8
  body longblob not null, -- JSON: all fields in their order, and the names of vector fields
  lengths longblob not null, -- for each searchable field its number and that of its tokens, as 3:12
  words longtext character set utf8mb4 collate utf8mb4_bin not null, -- all tokens, each with the number of its field
  cut tinyint not null, -- 1 where a value is longer than its term
  unique key ids (id),
  key cuts (cut),
  fulltext index words (words) with parser space parser_properties=(min_token_size=1, max_token_size=84)
) organization = heap
--- create_terms
create table if not exists `{collection}_terms` (
  term varbinary(3072) not null, -- of a name or a value that filters find
  number bigint not null,
  primary key (term, number),
  key numbers (number)
)
--- create_tokens
create table if not exists `{collection}_tokens` (
  token varbinary(84) not null,
  fields varbinary(8192) not null, -- the numbers of all fields of a document with the token
  documents bigint not null, -- how many hold it in exactly these fields
  primary key (token, fields)
)
--- create_fields
create table if not exists `{collection}_fields` (
  field int not null primary key,
  name longblob not null, -- UTF-8
  documents bigint not null, -- how many have the field
  tokens bigint not null, -- how many they have together
  filled bigint not null -- how many have a token there
)
--- create_models
create table if not exists `{collection}_models` (
  field int not null primary key, -- the dimension of the vectors
  model longblob, -- UTF-8 of the name of the model that made the vectors; null: not known
  origin varchar(16) -- index: embedded by an index; records: brought by records; both
)
--- create_vectors
create table if not exists `{collection}_vectors_{dimension}` (
  number bigint not null primary key,
  screen {type}, -- 32-bit floats; null where the server cannot compare them
  components longblob not null, -- as floats of 32 bits where these hold them exactly, else of 64, lowest byte first
  always tinyint not null, -- 1 without a screen
  key always (always)
)
--- create_meta
create table if not exists `{collection}_meta` (
  one int not null primary key,
  version int not null, -- of these tables
  generation bigint not null,
  documents bigint not null,
  numbers bigint not null -- all numbers of documents are below
)
--- begin_meta
insert ignore into `{collection}_meta` values (1, {version}, 0, 0, 0)
--- found
select table_name from information_schema.tables where table_schema = database() and left(table_name, {length}) = '{prefix}'
--- meta
select version, generation, documents, numbers from `{collection}_meta` where one = 1
--- meta_locked
select version, generation, documents, numbers from `{collection}_meta` where one = 1 for update
--- change_meta
update `{collection}_meta` set generation = generation + 1, documents = {documents}, numbers = {numbers} where one = 1
--- drop
drop table if exists {tables}
--- fields
select field, name, documents, tokens, filled from `{collection}_fields` order by field
--- change_fields
insert into `{collection}_fields` values {rows} on duplicate key update
  documents = documents + values(documents), tokens = tokens + values(tokens), filled = filled + values(filled)
--- models
select field, model, origin from `{collection}_models`
--- keep_model
replace into `{collection}_models` values {row}
--- numbers
select id, number from `{collection}_documents` where id in {ids}
--- documents
select number, id, body from `{collection}_documents` where number in {numbers}
--- next_documents
select number, id, body from `{collection}_documents` where number > {last} order by number limit {limit}
--- cut_documents
select number, id, body from `{collection}_documents` where cut = 1
--- passing
select d.id from `{collection}_documents` d where {filter} order by d.id
--- listed
select d.id from `{collection}_documents` d where {filter} order by d.id limit {limit} offset {offset}
--- count
select count(*) from `{collection}_documents` d where {filter}
--- tokens
select token, fields, documents from `{collection}_tokens` where token in {tokens}
--- candidates
select d.number, d.id, d.lengths, d.words from `{collection}_documents` d
where match(d.words) against('{words}') and ({filter}) order by {score} desc, d.id limit {limit}
--- score
match(d.words) against('{words}')
--- vectors
select number, components from `{collection}_vectors_{dimension}` where number in {numbers}
--- nearest
select d.number, 1 - cosine_distance(v.screen, {vector}) as cosine
from `{collection}_vectors_{dimension}` v join `{collection}_documents` d on d.number = v.number
where v.always = 0 and ({filter}) order by cosine desc limit {limit}
--- within
select d.number, 1 - cosine_distance(v.screen, {vector}) as cosine
from `{collection}_vectors_{dimension}` v join `{collection}_documents` d on d.number = v.number
where v.always = 0 and ({filter}) and 1 - cosine_distance(v.screen, {vector}) >= {least}
--- always
select d.number from `{collection}_vectors_{dimension}` v join `{collection}_documents` d on d.number = v.number
where v.always >= {least} and ({filter})
--- approximate
select number, 1 - cosine_distance(screen, {vector}) as cosine from `{collection}_vectors_{dimension}`
order by cosine_distance(screen, {vector}) approximate limit {limit}
--- scored
select d.number, d.id, v.components
from `{collection}_vectors_{dimension}` v join `{collection}_documents` d on d.number = v.number
where v.number in {numbers}
--- make_approximate
create vector index approximate on `{collection}_vectors_{dimension}` (screen)
  with (distance=cosine, type=hnsw, lib=vsag, m={m}, ef_construction={ef_construction})
--- indexed
select count(*) from information_schema.statistics
where table_schema = database() and table_name = '{collection}_vectors_{dimension}' and index_name = 'approximate'
--- condition_identified
d.id in {ids}
--- condition_term
d.number in (select number from `{collection}_terms` where term in {terms})
--- condition_range
d.number in (select number from `{collection}_terms` where {sides})
--- condition_cut
(d.cut = 0 and ({condition})) or d.number in {numbers}
--- among
d.number in {numbers}
--- remove_documents
delete from `{collection}_documents` where number in {numbers}
--- remove_terms
delete from `{collection}_terms` where number in {numbers}
--- remove_vectors
delete from `{collection}_vectors_{dimension}` where number in {numbers}
--- add_documents
insert into `{collection}_documents` values {rows}
--- add_terms
insert into `{collection}_terms` values {rows}
--- add_vectors
insert into `{collection}_vectors_{dimension}` values {rows}
--- change_tokens
insert into `{collection}_tokens` values {rows} on duplicate key update documents = documents + values(documents)
--- remove_tokens
delete from `{collection}_tokens` where documents = 0 and token in {tokens}
