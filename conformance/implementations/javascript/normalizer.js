'use strict';

// The scores of one ranked list on a common scale (FUS-2).

const numeric = require('./numeric');

const NORMALIZERS = ['none', 'max', 'min_max', 'z_score', 'sigmoid', 'rank'];

function normalize(scores, method) {
  if (scores.length === 0 || method === 'none') return [...scores];
  if (method === 'max') return byMax(scores);
  if (method === 'min_max') return byMinMax(scores);
  if (method === 'z_score') return byZScore(scores);
  if (method === 'sigmoid') return scores.map(sigmoid);
  return scores.map((_, index) => (scores.length - index) / scores.length);
}

function byMax(scores) {
  const highest = numeric.highest(scores);
  return scores.map((score) => (highest > 0 ? score / highest : 0));
}

function byMinMax(scores) {
  const lowest = numeric.lowest(scores);
  const highest = numeric.highest(scores);
  if (highest === lowest) return scores.map(() => 1);
  const spread = highest - lowest;
  return scores.map((score) => (score - lowest) / spread);
}

function byZScore(scores) {
  if (numeric.highest(scores) === numeric.lowest(scores)) return scores.map(() => 0);
  const mean = numeric.mean(scores);
  const differences = scores.map((score) => score - mean);
  const deviation = Math.sqrt(numeric.dot(differences, differences) / scores.length);
  return differences.map((difference) => (deviation !== 0 ? difference / deviation : 0));
}

function sigmoid(score) {
  if (score >= 0) return 1 / (1 + numeric.exp(-score));
  const exponential = numeric.exp(score);
  return exponential / (1 + exponential);
}

module.exports = { NORMALIZERS, normalize };
