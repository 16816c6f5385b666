'use strict';

// The operations by name: from params and input to a value, with a trace of stages.

const fusedLegs = require('./fused_legs');
const fusion = require('./fusion');
const { normalize } = require('./normalizer');
const ordering = require('./ordering');
const { Pages, rerankWindow } = require('./paging');
const { queryKeys, similarities } = require('./similarity');
const validation = require('./validation');

const numbers = (values) => values.map(Number);

/** The fused list, the similarities that are shown, and what both legs add. */
function ofLegs(method, input, trace) {
  const [fused, legs] = fusion.ofLegs(method, input.get('rankings'));
  const told = [legs.text, legs.dense].map(({ weight, floor, unit, shares }) => [weight, floor, unit, shares]);
  trace('normalise scores', told);
  trace('fuse', fused);
  return new Map([
    ['fused', fused],
    ['legs', told],
    ['highest', legs.highest],
    ['similarity', fused.map(([, score]) => fusedLegs.similarity(legs, score))],
  ]);
}

const OPERATIONS = new Map([
  ['fusion.weighted_sum', (params, input, trace) => {
    const rankings = input.get('rankings');
    const normalizer = params.get('normalizer');
    const fused = fusion.weightedSum(rankings, params.get('weights'), normalizer);
    const own = Array.isArray(normalizer) ? normalizer : rankings.map(() => normalizer);
    trace('normalise scores', rankings.map((ranking, index) => fusion.weightedSum([ranking], [1.0], own[index])));
    trace('fuse', fused);
    return fused;
  }],
  ['fusion.rrf', (params, input, trace) => {
    const rankings = input.get('rankings');
    const fused = fusion.rrf(rankings, params.get('k'));
    trace('normalise scores', rankings.map((ranking) => fusion.rrf([ranking], params.get('k'))));
    trace('fuse', fused);
    return fused;
  }],
  ['fusion.auto', (_params, input, trace) => ofLegs('auto', input, trace)],
  ['fusion.min_max', (_params, input, trace) => ofLegs('min_max', input, trace)],
  ['fusion.normalize', (params, input) => normalize(input.get('scores').map((score) => validation.number('scores', score)),
    params.get('normalizer'))],
  ['fusion.parse_weights', (params, input) => fusion.parseWeights(input.get('weights'), Number(params.get('count')))],
  ['fusion.expression', (params, input, trace) => {
    const made = fusion.expression(params.get('method'), params.get('topn'), params.get('params'));
    trace('fuse', fusion.fuse(made, input.get('rankings')));
    return new Map(Object.entries(made));
  }],
  ['fusion.defaults', (params, input, trace) => {
    const rankings = input.get('rankings');
    trace('fuse', [fusion.weightedSum(rankings, params.get('weights')), fusion.rrf(rankings)]);
    const made = params.get('methods').map((method) => fusion.expression(method, params.get('topn'), new Map()));
    return made.map((one) => [one.params, fusion.fuse(one, rankings)]);
  }],
  ['ordering.rank', (_params, input) => ordering.rank(
    input.get('pairs').map(([id, score]) => [id, validation.number('score', score)]),
  )],
  ['ordering.rank_tiered', (_params, input) => ordering.rankTiered(
    input.get('rows').map(([tier, score, stage1, id]) => [
      tier, validation.number('score', score), validation.number('stage1_score', stage1), id,
    ]),
  )],
  ['query_builder.weighted_similarity', (_params, input, trace) => {
    const keys = queryKeys(input.get('query'));
    trace('weigh', [...keys]);
    const found = similarities(keys, input.get('docs_tokens'));
    trace('term similarity', found);
    return found;
  }],
  ['retriever.scored_pages', (params, input, trace) => {
    const candidates = input.get('candidates');
    trace('fuse', candidates);
    const options = params.get('options');
    return params.get('page_sizes').map((size) => new Pages(candidates, input.has('model'), options, size).table());
  }],
  ['retriever.window', (params) => {
    const [pageSize, top] = numbers([params.get('page_size'), params.get('top')]);
    return BigInt(rerankWindow(pageSize, top, params.get('with_model')));
  }],
  ['validation.describe', (_params, input) => input.get('values').map(validation.describe)],
  ['validation.edit_distance', (_params, input) => input.get('pairs').map(
    ([left, right]) => BigInt(validation.editDistance(left, right)),
  )],
  ['validation.known', (params, input) => {
    validation.known(params.get('what'), input.get('names'), params.get('accepted'));
    return input.get('names');
  }],
]);

/** What the hello says, and conformance/implementations.yml lists: whole modules, and single operations of others. */
const CAPABILITIES = [
  'fusion.auto',
  'fusion.defaults',
  'fusion.expression',
  'fusion.min_max',
  'fusion.normalize',
  'fusion.parse_weights',
  'fusion.rrf',
  'fusion.weighted_sum',
  'ordering',
  'query_builder.weighted_similarity',
  'retriever.scored_pages',
  'retriever.window',
  'validation.describe',
  'validation.edit_distance',
  'validation.known',
];

module.exports = { CAPABILITIES, OPERATIONS };
