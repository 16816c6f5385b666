'use strict';

// What each leg adds to a fusion of the first hundred of both (FUS-3, FUS-4), and what follows behind them (FUS-5).

const numeric = require('./numeric');

const DEPTH = 100;
const PLACES_BEFORE = 60;

/** Legs by how far their scores stand out; a text leg that is not cut off counts from 0. */
function auto(text, dense) {
  const texts = leg(text, 0.4, text.length < DEPTH ? 0.0 : last(text), numeric.mean);
  const vectors = leg(dense, 0.6, last(dense), numeric.mean);
  return { text: texts, dense: vectors, highest: first(texts) + first(vectors) };
}

/** Legs by their scores between the lowest and the highest. */
function minMax(text, dense) {
  const highest = (excesses) => excesses.reduce((most, excess) => (excess > most ? excess : most));
  return { text: leg(text, 0.5, last(text), highest), dense: leg(dense, 0.5, last(dense), highest), highest: 1.0 };
}

/** Fused scores by id, of all documents of both legs. */
function scores(legs, text, dense) {
  const fused = new Map();
  for (const { weight, shares } of [legs.text, legs.dense]) {
    for (const [identifier, share] of shares) {
      fused.set(identifier, (fused.get(identifier) ?? 0.0) + weight * share);
    }
  }
  const ranks = new Map();
  for (const ranking of [text, dense]) {
    ranking.forEach(([identifier], index) => {
      if (fused.has(identifier)) return;
      ranks.set(identifier, (ranks.get(identifier) ?? 0.0) + 1.0 / (PLACES_BEFORE + index + 1));
    });
  }
  for (const [identifier, rank] of ranks) fused.set(identifier, -1.0 / rank);
  return fused;
}

/** The similarity that is shown for a fused score. */
function similarity(legs, score) {
  return score < 0.0 ? 0.0 : score / legs.highest;
}

function last(ranking) {
  return ranking.length === 0 ? 0.0 : ranking.slice(0, DEPTH).at(-1)[1];
}

function first({ weight, shares }) {
  return weight * (shares.length === 0 ? 0.0 : shares[0][1]);
}

function leg(ranking, weight, floor, unitOf) {
  const ranked = ranking.slice(0, DEPTH);
  const excesses = ranked.map(([, score]) => score - floor);
  const unit = ranked.length === 0 ? 0.0 : unitOf(excesses);
  const shares = ranked.map(([identifier], index) => [identifier, unit > 0.0 ? excesses[index] / unit : 1.0]);
  return { weight, floor, unit, shares };
}

module.exports = { auto, minMax, scores, similarity };
