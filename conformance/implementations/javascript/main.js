'use strict';

// A small third implementation (CNF-10): fusion, order, paging and token similarity, in plain JavaScript without
// packages. JSON Lines on stdin and stdout, as conformance/PORTING.md says.

const codec = require('./codec');
const { HybridSearchError } = require('./errors');
const { CAPABILITIES, OPERATIONS } = require('./operations');

const LINE_FEED = 0x0a;

function hello() {
  return {
    type: 'hello',
    protocol: 1,
    name: 'small',
    language: 'javascript',
    version: '0.1.0',
    versions: { node: process.versions.node, v8: process.versions.v8 },
    capabilities: CAPABILITIES,
  };
}

function outcome(operation, message) {
  const stages = [];
  const trace = (stage, value) => stages.push({ stage, value: codec.encode(value) });
  const result = {};
  try {
    result.value = codec.encode(operation(codec.decode(message.params), codec.decode(message.input), trace));
  } catch (problem) {
    if (!(problem instanceof HybridSearchError)) throw problem;
    result.error = { class: problem.constructor.name, message: problem.message };
  }
  return message.want_trace ? { ...result, trace: stages } : result;
}

function answer(message) {
  const operation = OPERATIONS.get(message.op);
  if (operation === undefined) return { seq: message.seq, unsupported: message.op };
  try {
    return { seq: message.seq, ...outcome(operation, message) };
  } catch (problem) {
    console.error(problem);
    return { seq: message.seq, error: { class: `internal:${problem.name}`, message: String(problem.message) } };
  }
}

function reply(message) {
  if (message.type === 'hello') return hello();
  return message.type === 'bye' ? { type: 'bye' } : answer(message);
}

// Lines end with a line feed and with nothing else: texts may hold other separators of lines as they are.
let pending = [];
process.stdin.on('data', (chunk) => {
  let rest = chunk;
  for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
    const line = Buffer.concat([...pending, rest.subarray(0, end)]).toString('utf8');
    pending = [];
    rest = rest.subarray(end + 1);
    process.stdout.write(`${JSON.stringify(reply(JSON.parse(line)))}\n`);
  }
  if (rest.length > 0) pending.push(rest);
});
