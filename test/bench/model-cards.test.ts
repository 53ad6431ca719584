// The cards of the models in GET /v1/feeds: every model has one, by season, and docs/models.md shows the same figures.
// WRITE_CARDS=1 measures them again, which takes minutes; without it a part of them is.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { modelCardOf } from '#api/feeds/model-cards.ts';
import { evaluateLapFeeds } from '#bench/models/lap-feeds-evaluation.ts';
import {
  eliminationFigures,
  gapFigures,
  lapFeedFigures,
  type MeasuredFeeds,
  oddsFeedFigures,
  oddsFigures,
  sectorFigures,
} from '#bench/models/model-cards.ts';
import { evaluateOddsByQuarter } from '#bench/models/odds-evaluation.ts';
import { evaluateOddsFeeds } from '#bench/models/odds-feeds-evaluation.ts';
import { evaluatePastEliminations } from '#bench/models/qualifying-evaluation.ts';
import { evaluateRaceFeeds } from '#bench/models/race-feeds-evaluation.ts';
import { evaluateSectorPace } from '#bench/models/sector-pace-evaluation.ts';
import { LAPS, SHARED_DATA } from '#bench/suite/shared-data.ts';
import { MATURITY } from '#schemas/webhook/maturity.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const PAGE = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
const FILE = new URL('../../api/feeds/models-measured.json', import.meta.url);
const SKIP = WITHOUT_HISTORY || WITHOUT_RECORDINGS || (existsSync(LAPS) ? false : 'no tables of laps');

test('every model has a card: figures of one season each beside a rule, with their number and standard error', () => {
  for (const feed of Object.keys(MATURITY)) {
    const card = modelCardOf(feed);
    assert.ok(card !== undefined && card.truth !== '' && card.notGoodAt !== '', feed);
    assert.ok(
      card.measured.length > 0,
      `${feed} has no figure: WRITE_CARDS=1 node --test test/bench/model-cards.test.ts`,
    );
    for (const { what, count, standardError } of card.measured) {
      assert.ok(standardError !== null || count === 1, `${feed}, ${what}`);
    }
    const seasons = card.measured.map(({ season }) => season);
    assert.ok(seasons.includes(2026) || /\b2026\b/.test(card.notGoodAt), `${feed} does not say what became of 2026`);
  }
  assert.equal(modelCardOf('timing.data'), undefined);
});

test('docs/models.md shows the figures of live odds, by quarter and season, as the card does', () => {
  const rows = PAGE.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const { measured } = modelCardOf('analytics.race-odds')!;
  const groups = Map.groupBy(measured, ({ races, season, what }) => `${races} ${season} ${what.split(',')[0]}`);
  const titles = { grand_prix: 'Grands Prix', sprint: 'sprints', recording: 'recordings', qualifying: '' };
  for (const own of groups.values()) {
    const { races, season, count, what } = own[0]!;
    const digits = what.startsWith('winner') ? 3 : 4;
    const cells = own.map(({ loss, difference, standardError }) => {
      const error = standardError === null ? 'one race' : standardError.toFixed(digits);
      return `${loss.toFixed(digits)}, ${difference < 0 ? '' : '+'}${difference.toFixed(digits)} (${error})`;
    });
    const title = `${titles[races]} ${season}, ${count}`;
    const isShown = rows.some(
      (row) => row[1] === title && cells.every((cell, index) => row[index + 2]?.startsWith(cell)),
    );
    assert.ok(isShown, `${title} | ${cells.join(' | ')}`);
  }
});

test('docs/models.md tells before and after with the figures of the cards', () => {
  const table = PAGE.slice(PAGE.indexOf('## Before and after'), PAGE.indexOf('## Previews')).split('\n');
  for (const [feed, what, row] of [
    ['analytics.strategy', 'stops left, log-loss', 'stops left, log-loss'],
    ['analytics.battle', 'pass within 3 laps, Brier score', 'pass within three laps, Brier score'],
    ['analytics.safety-car', 'safety car within 5 laps, log-loss', 'safety car within five laps, log-loss'],
    ['analytics.true-pace', 'next three laps, error in s', 'next three laps, seconds off'],
  ] as const) {
    const figure = modelCardOf(feed)!.measured.find((one) => one.what === what && one.races === 'grand_prix')!;
    const { count, loss, difference, standardError } = figure;
    const shown = table.find((line) => line.startsWith(`| ${row}`))!;
    assert.ok(shown.includes(`${count}; ${loss.toFixed(3)}, `), `${shown} ${loss}`);
    assert.ok(shown.includes(` ${difference.toFixed(3)} (${standardError!.toFixed(3)})`), `${shown} ${difference}`);
  }
});

describe('the cards on real races', { skip: SKIP }, () => {
  test('the figures are what was measured', (t) => {
    const history = realHistory('f1db-2026-06');
    if (process.env.WRITE_CARDS === '1') {
      const measured: MeasuredFeeds = {
        ...oddsFigures(evaluateOddsByQuarter(history, SHARED_DATA, LAPS)),
        ...oddsFeedFigures(evaluateOddsFeeds(history, LAPS)),
        ...gapFigures(evaluateRaceFeeds(SHARED_DATA)),
        ...lapFeedFigures(evaluateLapFeeds(LAPS)),
        ...sectorFigures(evaluateSectorPace(SHARED_DATA)),
        ...eliminationFigures(evaluatePastEliminations(history)),
      };
      writeFileSync(FILE, `${JSON.stringify(measured, null, 2)}\n`);
      return;
    }
    const eliminations = eliminationFigures(evaluatePastEliminations(history));
    assert.deepEqual(modelCardOf('analytics.qualifying')!.measured, eliminations['analytics.qualifying']);
    const sectors = sectorFigures(evaluateSectorPace(SHARED_DATA));
    assert.deepEqual(modelCardOf('analytics.sector-pace')!.measured, sectors['analytics.sector-pace']);
    const recorded = oddsFigures(evaluateOddsByQuarter(history, SHARED_DATA, temporaryFolder(t)));
    const card = modelCardOf('analytics.race-odds')!.measured.filter(({ races }) => races === 'recording');
    assert.deepEqual(recorded['analytics.race-odds'], card);
  });
});
