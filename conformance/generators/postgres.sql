-- The statements of collections in PostgreSQL (PG-1), for both languages: this is where they are stated, and
-- `bin/conformance make data` writes them into both packages. A statement begins with a line `--- name`. `{schema}`
-- stands for the quoted name of the collection, `{vector}` for that of the schema in which pgvector is. Whatever comes
-- from a user is a parameter.

--- tables
create table {schema}.meta (
  one boolean primary key check (one),
  version integer not null, -- of these tables
  generation bigint not null,
  state uuid not null, -- another one after each batch
  documents integer not null,
  numbers integer not null, -- all numbers of documents are below
  terms bigint not null -- likewise the keys of terms
);
insert into {schema}.meta values (true, 3, 0, gen_random_uuid(), 0, 0, 0);
create table {schema}.documents (
  number integer primary key,
  key bytea not null unique, -- UTF-8 of the id; of one above 1,000 bytes 0xFF and their SHA-256
  id bytea, -- UTF-8 of the id where the key is another
  body text not null, -- JSON: all fields in their order, and the names of vector fields
  attributes jsonb -- what can be filtered by; null where jsonb cannot hold it
);
create index on {schema}.documents using gin (attributes jsonb_path_ops);
create index on {schema}.documents (number) where attributes is null;
create table {schema}.free_numbers (number integer primary key);
create table {schema}.fields (
  field integer primary key,
  name bytea not null, -- UTF-8
  documents integer not null, -- how many have the field
  tokens bigint not null, -- how many they have together
  filled integer not null default 0 -- how many have a token there
);
create index on {schema}.fields using hash (name);
create table {schema}.terms (
  term bigint primary key,
  field integer not null,
  token bytea not null, -- a key made as those of documents
  documents integer not null, -- how many hold it
  chunks integer not null, -- how many rows of postings it has
  places bytea not null, -- the last ones, behind those in the chunks
  unique (field, token)
) with (fillfactor = 80, toast_tuple_target = 8160);
alter table {schema}.terms alter column places set storage external;
create table {schema}.postings (
  term bigint not null,
  first integer not null, -- the number of the first place
  places bytea not null,
  primary key (term, first)
) with (toast_tuple_target = 8160);
alter table {schema}.postings alter column places set storage external;
create table {schema}.frequencies (
  field integer not null,
  documents integer not null,
  terms integer not null, -- how many are in so many documents
  primary key (field, documents)
);
create table {schema}.lengths (
  field integer not null,
  block integer not null, -- number / 1024
  lengths bytea not null, -- 32 bits each, lowest byte first; -1: without the field
  primary key (field, block)
) with (toast_tuple_target = 8160);
alter table {schema}.lengths alter column lengths set storage external;
create table {schema}.changes (
  generation bigint primary key, -- of the last batches
  state uuid not null, -- the state after the batch
  numbers bytea -- the documents that it has changed, 32 bits each, lowest byte first; null: too many
);
create table {schema}.vectors (
  field integer not null,
  number integer not null,
  screen {vector}.vector, -- the components as floats of 32 bits; null where no distance can be told from these
  exact bytea, -- the components as floats of 64 bits, lowest byte first, where those of 32 do not hold them
  norm double precision not null, -- of the components
  primary key (field, number)
) with (toast_tuple_target = 8160);
create index on {schema}.vectors (field, number) where screen is null;
create table {schema}.vector_models (
  field bytea primary key, -- UTF-8 of its name
  model bytea, -- UTF-8 of the name of the model that made its vectors; null: not known
  origin text -- index: embedded by an index; records: brought by records; both
)

--- found
select n.oid is not null,
  exists (select from pg_catalog.pg_depend d where d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
    and d.refobjid = n.oid and d.deptype = 'n'),
  exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'meta'
    and exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'generation'))
from (values ($1::text)) wanted (name) left join pg_catalog.pg_namespace n on n.nspname = wanted.name

--- convert
set local statement_timeout = 0;
create table {schema}.changes (generation bigint primary key, state uuid not null, numbers bytea);
alter table {schema}.fields add column filled integer not null default 0;
update {schema}.fields f set filled = (
  select count(*) from {schema}.lengths l, generate_series(0, pg_catalog.length(l.lengths) - 4, 4) i
  where l.field = f.field and get_byte(l.lengths, i + 3) < 128
    and get_byte(l.lengths, i) + get_byte(l.lengths, i + 1) + get_byte(l.lengths, i + 2) + get_byte(l.lengths, i + 3) > 0
);
update {schema}.meta set version = 3, state = pg_catalog.gen_random_uuid()

--- extension
select n.nspname::text, e.extversion::text
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'

--- make_lock
select pg_catalog.pg_advisory_xact_lock(1213421617)

--- make_extension
create extension if not exists vector with schema public

--- make_schema
create schema if not exists {schema}

--- drop_tables
drop table {schema}.meta, {schema}.documents, {schema}.free_numbers, {schema}.fields, {schema}.terms, {schema}.postings,
  {schema}.frequencies, {schema}.lengths, {schema}.changes, {schema}.vectors, {schema}.vector_models

--- is_empty
select pg_catalog.pg_has_role(n.nspowner, 'USAGE') and not exists (select from pg_catalog.pg_depend d
  where d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass and d.refobjid = n.oid and d.deptype = 'n')
from pg_catalog.pg_namespace n where n.nspname = $1::text

--- drop_schema
drop schema {schema}

--- meta
select version, generation, state::text, documents, numbers, terms from {schema}.meta

--- meta_locked
select version, generation, state::text, documents, numbers, terms from {schema}.meta for update

--- change_meta
update {schema}.meta set generation = generation + 1, state = pg_catalog.gen_random_uuid(),
  documents = $1::integer, numbers = $2::integer, terms = $3::bigint

--- change_state
update {schema}.meta set state = pg_catalog.gen_random_uuid()

--- keep_change
with earlier as (delete from {schema}.changes where generation <= $1::bigint)
insert into {schema}.changes as c select generation, state, $2::bytea from {schema}.meta
on conflict (generation) do update set state = excluded.state, numbers = excluded.numbers

--- changes
select generation, state::text, numbers from {schema}.changes where generation >= $1::bigint order by generation

--- state_since
select f.field, coalesce(f.name, s.field), f.documents, f.tokens, f.filled, s.field is not null, s.model, s.origin,
  null::bigint, null::text, null::bytea
from {schema}.fields f full join {schema}.vector_models s on s.field = f.name
union all
select null, null, null, null, null, false, null, null, generation, state::text, numbers
from {schema}.changes where generation >= $1::bigint

--- changed_documents
select d.number, coalesce(d.id, d.key), d.body, v.field, v.norm, v.exact,
  case when v.exact is null then {vector}.vector_send(v.screen) end
from {schema}.documents d left join {schema}.vectors v on v.number = d.number and v.field = any($2::integer[])
where d.number = any($1::integer[])

--- numbers
select key, number from {schema}.documents where key = any($1::bytea[])

--- documents
select number, coalesce(id, key), body from {schema}.documents where number = any($1::integer[])

--- identifiers
select number, coalesce(id, key) from {schema}.documents where number = any($1::integer[])

--- all_identifiers
select number, coalesce(id, key) from {schema}.documents

--- listed
select number, identifier from (
  (select number, key as identifier from {schema}.documents where key >= $3::bytea and key < '\xff' {among}
    order by key limit $1::bigint + $2::bigint)
  union all
  (select number, id from {schema}.documents where key >= '\xff' and id >= $3::bytea {among}
    order by id limit $1::bigint + $2::bigint)
) d order by identifier offset $1::bigint limit $2::bigint

--- ordered
select coalesce(pg_catalog.bool_or(attributes is null), false),
  pg_catalog.string_agg(pg_catalog.int4send(number), '' order by {order}, coalesce(id, key))
from {schema}.documents d where true {among}

--- order_asc
case pg_catalog.jsonb_typeof(attributes -> $name) when 'number' then (attributes -> $name)::numeric when 'array' then (
  select m::numeric from pg_catalog.jsonb_path_query(attributes -> $name, '$[*] ? (@.type() == "number")') m
  order by 1 limit 1
) end nulls last,
case pg_catalog.jsonb_typeof(attributes -> $name) when 'string' then pg_catalog.convert_to(attributes ->> $name, 'UTF8')
when 'array' then (
  select pg_catalog.convert_to(m #>> '{}', 'UTF8')
  from pg_catalog.jsonb_path_query(attributes -> $name, '$[*] ? (@.type() == "string")') m
  where not pg_catalog.jsonb_path_exists(attributes -> $name, '$[*] ? (@.type() == "number")') order by 1 limit 1
) end nulls last

--- order_desc
case pg_catalog.jsonb_typeof(attributes -> $name) when 'string' then pg_catalog.convert_to(attributes ->> $name, 'UTF8')
when 'array' then (
  select pg_catalog.convert_to(m #>> '{}', 'UTF8')
  from pg_catalog.jsonb_path_query(attributes -> $name, '$[*] ? (@.type() == "string")') m order by 1 desc limit 1
) end desc nulls last,
case pg_catalog.jsonb_typeof(attributes -> $name) when 'number' then (attributes -> $name)::numeric when 'array' then (
  select m::numeric from pg_catalog.jsonb_path_query(attributes -> $name, '$[*] ? (@.type() == "number")') m
  where not pg_catalog.jsonb_path_exists(attributes -> $name, '$[*] ? (@.type() == "string")') order by 1 desc limit 1
) end desc nulls last

--- order_id_asc
coalesce(id, key)

--- order_id_desc
coalesce(id, key) desc

--- next_documents
select number, coalesce(id, key), body from {schema}.documents where number > $1::integer order by number limit $2::integer

--- fields
select field, name, documents, tokens, filled from {schema}.fields

--- lengths
select field, block, lengths from {schema}.lengths where field = any($1::integer[]) and block = any($2::integer[])

--- length_blocks
select l.field, l.block, l.lengths from {schema}.lengths l
join unnest($1::integer[], $2::integer[]) wanted (field, block) on l.field = wanted.field and l.block = wanted.block

--- frequencies
select documents, terms from {schema}.frequencies where field = $1::integer

--- terms
select field, token, case when chunks = 0 then places else (
  select pg_catalog.string_agg(p.places, '' order by first) from {schema}.postings p where p.term = t.term
) || places end
from {schema}.terms t where field = any($1::integer[]) and token = any($2::bytea[])

--- sources
select field, model, origin from {schema}.vector_models

--- vectors
select field, number, norm, exact, case when exact is null then {vector}.vector_send(screen) end
from {schema}.vectors where field = any($1::integer[]) and number = any($2::integer[])

--- next_vectors
select number, norm, exact, case when exact is null then {vector}.vector_send(screen) end from {schema}.vectors
where field = $1::integer and number > $2::integer order by number limit $3::integer

--- unscreened_vectors
select number, norm, exact, null::bytea from {schema}.vectors
where field = $1::integer and number > $2::integer and screen is null order by number limit $3::integer

--- nearest
select v.number, n.distance, v.norm, v.exact, case when v.exact is null then {vector}.vector_send(v.screen) end from (
  select number, screen operator({vector}.<=>) $2::{vector}.vector as distance from {schema}.vectors
  where field = $1::integer and screen is not null {among} order by distance limit $3::integer
) n join {schema}.vectors v on v.field = $1::integer and v.number = n.number

--- within
select number, distance, norm, exact, case when exact is null then {vector}.vector_send(screen) end from (
  select number, norm, exact, screen, screen operator({vector}.<=>) $2::{vector}.vector as distance from {schema}.vectors
  where field = $1::integer and screen is not null {among}
) n where distance <= $3::double precision

--- among_numbers
and number = any(${place}::integer[])

--- among_marked
and pg_catalog.get_bit(${place}::bytea, number) = 1

--- approximate
select v.number, n.distance, v.norm, v.exact, case when v.exact is null then {vector}.vector_send(v.screen) end from (
  select number, (screen::{vector}.vector({dimension})) operator({vector}.<=>) $1::{vector}.vector({dimension}) as distance
  from {schema}.vectors where field = {field} order by distance limit $2::integer
) n join {schema}.vectors v on v.field = {field} and v.number = n.number

--- explore
select pg_catalog.set_config('hnsw.ef_search', $1::text, true),
  pg_catalog.set_config('hnsw.iterative_scan', 'strict_order', true)

--- make_approximate
create index if not exists approximate_{field} on {schema}.vectors
using hnsw ((screen::{vector}.vector({dimension})) {vector}.vector_cosine_ops)
with (m = {m}, ef_construction = {ef_construction}) where field = {field}

--- passing
select d.number, d.attributes is null from {schema}.documents d where d.attributes is null or 

--- condition_equal
d.attributes @> any($equal::jsonb[])

--- condition_values
coalesce(pg_catalog.jsonb_path_exists(d.attributes -> $name::text, $path::jsonpath, $values::jsonb), false)

--- condition_exists
coalesce(d.attributes -> $name::text <> '[]'::jsonb, false)

--- condition_available
coalesce(pg_catalog.jsonb_path_exists(d.attributes -> 'available_int', '$ ? (@ >= 1)'), true)

--- condition_identified
d.key = any($keys::bytea[])

--- free_numbers
select number from {schema}.free_numbers order by number limit $1::integer

--- take_numbers
delete from {schema}.free_numbers where number = any($1::integer[])

--- give_numbers
insert into {schema}.free_numbers select unnest($1::integer[])

--- remove_documents
delete from {schema}.documents where number = any($1::integer[])

--- add_documents
insert into {schema}.documents (number, key, id, body, attributes)
select number, key, nullif(id, ''), body, nullif(attributes, '')::jsonb
from unnest($1::integer[], $2::bytea[], $3::bytea[], $4::text[], $5::text[]) d (number, key, id, body, attributes)

--- add_field
insert into {schema}.fields values ($1::integer, $2::bytea, 0, 0, 0)

--- change_fields
update {schema}.fields f set documents = f.documents + c.documents, tokens = f.tokens + c.tokens,
  filled = f.filled + c.filled
from unnest($1::integer[], $2::integer[], $3::bigint[], $4::integer[]) c (field, documents, tokens, filled)
where f.field = c.field

--- terms_to_change
select t.field, t.token, t.term, t.documents, t.chunks, t.places
from unnest($1::integer[], $2::bytea[]) wanted (field, token)
join {schema}.terms t on t.field = wanted.field and t.token = wanted.token

--- chunks_to_change
select p.term, p.first, p.places from (
  select distinct wanted.term, coalesce(
    (select max(p.first) from {schema}.postings p where p.term = wanted.term and p.first <= wanted.number),
    (select min(p.first) from {schema}.postings p where p.term = wanted.term)
  ) as first from unnest($1::bigint[], $2::integer[]) wanted (term, number)
) touched join {schema}.postings p on p.term = touched.term and p.first = touched.first

--- remove_chunks
delete from {schema}.postings p using unnest($1::bigint[], $2::integer[]) gone (term, first)
where p.term = gone.term and p.first = gone.first

--- add_chunks
insert into {schema}.postings (term, first, places) select * from unnest($1::bigint[], $2::integer[], $3::bytea[])

--- add_terms
insert into {schema}.terms (term, field, token, documents, chunks, places)
select * from unnest($1::bigint[], $2::integer[], $3::bytea[], $4::integer[], $5::integer[], $6::bytea[])

--- change_terms
update {schema}.terms t set documents = c.documents, chunks = c.chunks, places = c.places
from unnest($1::bigint[], $2::integer[], $3::integer[], $4::bytea[]) c (term, documents, chunks, places)
where t.term = c.term

--- remove_terms
delete from {schema}.terms where term = any($1::bigint[])

--- count_frequencies
insert into {schema}.frequencies as f select * from unnest($1::integer[], $2::integer[], $3::integer[])
on conflict (field, documents) do update set terms = f.terms + excluded.terms

--- forget_frequencies
delete from {schema}.frequencies where field = any($1::integer[]) and terms = 0

--- change_lengths
insert into {schema}.lengths select * from unnest($1::integer[], $2::integer[], $3::bytea[])
on conflict (field, block) do update set lengths = excluded.lengths

--- remove_vectors
delete from {schema}.vectors v using unnest($1::integer[], $2::integer[]) gone (field, number)
where v.field = gone.field and v.number = gone.number

--- copy_vectors
copy {schema}.vectors (field, number, screen, exact, norm) from stdin (format binary)

--- keep_source
insert into {schema}.vector_models values ($1::bytea, $2::bytea, $3::text)
on conflict (field) do update set model = excluded.model, origin = excluded.origin
