import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PlaceBaseline, standingsBefore } from '#bench/models/baselines.ts';
import { recordingsSince } from '#bench/models/live-evaluation.ts';
import { evaluatePreviews, FORECASTERS, MODELS, type PreviewSummary } from '#bench/models/preview-evaluation.ts';
import { brierScore, calibrationOf, logLoss, pairedDifference, rankedProbabilityScore } from '#bench/models/scoring.ts';
import { run, smoke } from '#bench/models.ts';
import { resultErrors } from '#bench/suite/result-check.ts';
import { WEEKEND_KNOWN, type WeekendKnown } from '#engine/seasons/forecast/forecast.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import {
  MEASURED,
  MEASURED_SEASONS,
  MEASURED_SIMULATIONS,
  type MeasuredQuality,
} from '#engine/seasons/forecast/measured-quality.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { inventedHistory } from '#test/support/invented-history.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const MODELS_PAGE = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
const QUALITY_FILE = new URL('../../engine/seasons/forecast/coefficients/previews-measured.json', import.meta.url);
const invented = inventedHistory();

test('each score follows its definition', () => {
  assert.equal(logLoss(1), 0);
  assert.equal(logLoss(0.5), Math.log(2));
  assert.ok(Number.isFinite(logLoss(0)));
  assert.equal(brierScore([1, 0], 0), 0);
  assert.equal(brierScore([0, 1], 0), 2);
  assert.equal(rankedProbabilityScore([0, 1, 0], 1), 0);
  assert.equal(rankedProbabilityScore([1, 0, 0], 2), 1);
  assert.equal(rankedProbabilityScore([1, 0, 0], 1), 0.5);
  const { mean, standardError } = pairedDifference([1, 2, 3], [1, 1, 1]);
  assert.equal(mean, 1);
  assert.ok(Math.abs(standardError - 1 / Math.sqrt(3)) < 1e-12);
});

test('outcomes that happen as often as forecast have no calibration error; others have the mean difference as their error', () => {
  const outcomes = (probability: number, happened: number) =>
    Array.from({ length: 10 }, (_, index) => ({ probability, happened: index < happened }));
  assert.ok(calibrationOf([...outcomes(0.5, 5), ...outcomes(0.2, 2)]).error < 1e-12);
  const { error, bins } = calibrationOf([...outcomes(1, 10), ...outcomes(0.5, 3)]);
  assert.ok(Math.abs(error - 0.1) < 1e-12);
  assert.deepEqual(
    bins.map(({ count, observed }) => [count, observed]),
    [
      [10, 0.3],
      [10, 1],
    ],
  );
});

test('a baseline gives probabilities that sum to one, and learns which places win', () => {
  const baseline = new PlaceBaseline({ wins: 1, fade: 0.8, width: 1 });
  fc.assert(
    fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 2 }), (places) => {
      baseline.learn(places);
      const { win, places: chances } = baseline.forecast(places);
      for (const row of [win, ...chances!]) {
        assert.ok(Math.abs(row.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-9);
      }
    }),
  );
  const third = new PlaceBaseline({ wins: 1, fade: 0.8, width: 1 });
  for (let race = 0; race < 20; race++) third.learn([3, 1, 2]);
  const { win, places } = third.forecast([1, 2, 3]);
  assert.ok(win[2]! > 0.8 && places![2]![0]! > places![2]![2]!);
});

test('championship places are those before the weekend, or those of the previous season at the first weekend', () => {
  const { weekends } = invented;
  assert.equal(standingsBefore(weekends, 0).size, 0);
  const first = weekends.findIndex(({ eventId }) => eventId === '2019-circuit-1');
  const champion = weekends[first - 1]!.driverStandings[0]!.driverId;
  assert.equal(standingsBefore(weekends, first).get(champion), 1);
});

test('the evaluation forecasts each race once, and the model beats even chances on drivers who differ', () => {
  const options = { fromSeason: 2020, toSeason: 2020, simulations: 500 };
  const evaluation = evaluatePreviews(invented, forecasterOf, options);
  const { seasons, races, scores, poles } = evaluation.all!;
  assert.deepEqual([seasons, races], [[2020], 8]);
  for (const name of FORECASTERS) {
    const { winnerLogLoss, winnerBrier, placesRps, winCalibration, favourites } = scores[name];
    for (const score of [winnerLogLoss, winnerBrier, placesRps ?? 0, winCalibration.error, favourites.told]) {
      assert.ok(Number.isFinite(score));
    }
    assert.equal(evaluation.bySeason[0]!.scores[name].winnerLogLoss, winnerLogLoss);
  }
  const { 'model, grid and times': model, uniform } = scores;
  assert.ok(model.winnerLogLoss < uniform.winnerLogLoss && model.placesRps! < uniform.placesRps!);
  assert.ok(poles['model, nothing'].logLoss < poles.uniform.logLoss);
  assert.deepEqual(evaluatePreviews(invented, forecasterOf, options), evaluation);
});

test('races before a day only teach', () => {
  const options = { fromSeason: 2018, toSeason: 2020, simulations: 100 };
  const later = evaluatePreviews(invented, forecasterOf, { ...options, since: '2020-06-05' });
  const all = evaluatePreviews(invented, forecasterOf, options);
  assert.equal(later.all!.races, 4);
  assert.equal(all.all!.races, 24);
  assert.deepEqual(later.bySeason[0]!.seasons, [2020]);
  assert.equal(evaluatePreviews(invented, forecasterOf, { ...options, since: '2030-01-01' }).all, null);
});

test('recordings are chosen by the date in their SessionInfo, whatever they are called; those without one are named', (t) => {
  const folder = temporaryFolder(t);
  const held = (Type: string, StartDate: string) => ({ Type, Name: Type, StartDate, GmtOffset: '02:00:00' });
  recorded(folder, 'late', 'SessionInfo', held('Race', '2020-06-06T15:00:00'));
  recorded(folder, '2020-circuit-8-race', 'SessionInfo', held('Race', '2020-06-02T15:00:00'));
  recorded(folder, 'grid', 'SessionInfo', held('Qualifying', '2020-06-06T15:00:00'));
  recorded(folder, '2020-circuit-7-race', 'Heartbeat', {});
  assert.deepEqual(recordingsSince(invented, folder, '2020-06-05'), {
    recordings: [['2020-circuit-6-race', join('archive', 'late')]],
    undated: [join('archive', '2020-circuit-7-race')],
  });
});

test('docs/models.md shows the same quality of previews as the API', () => {
  const rows = new Set(MODELS_PAGE.split('\n').map((line) => line.replace(/\s+/g, ' ').trim()));
  for (const line of qualityTable(MEASURED)) assert.ok(rows.has(line), line);
});

test("docs/models.md has every figure in an analytics feed's schema description", () => {
  const sections = MODELS_PAGE.split(/^#+ /m);
  const figures = (text: string): readonly string[] => text.match(/\d+(\.\d+)?/g) ?? [];
  for (const [feedId, schema] of Object.entries(PAYLOAD_SCHEMAS)) {
    if (!feedId.startsWith('analytics.')) continue;
    const section = sections.find((text) => text.startsWith(`${feedId}\n`));
    assert.ok(section !== undefined, `no section ${feedId}`);
    const { description } = schema as { readonly description?: string };
    const measured = description!.split('Measured: ')[1]!;
    const there = new Set(figures(section));
    assert.deepEqual(
      figures(measured).filter((figure) => !there.has(figure)),
      [],
      feedId,
    );
  }
});

test('options that cannot be used are refused by name', async () => {
  await assert.rejects(
    run(['--simulations', '1000000000'], () => {}),
    /^Error: --simulations: at most/,
  );
  await assert.rejects(
    run(['--history', '/nowhere'], () => {}),
    /^Error: --history: /,
  );
});

describe('models on the real history', { skip: WITHOUT_HISTORY }, () => {
  test('the published quality is what the evaluation measures', () => {
    const evaluation = evaluatePreviews(realHistory('f1db-2026-06'), forecasterOf, {
      fromSeason: MEASURED_SEASONS.from,
      toSeason: MEASURED_SEASONS.to,
      simulations: MEASURED_SIMULATIONS,
    });
    const measured = Object.fromEntries(
      WEEKEND_KNOWN.map((known) => [
        known,
        {
          all: qualityOf(evaluation.all!, known),
          bySeason: evaluation.bySeason.map((season) => qualityOf(season, known)),
        },
      ]),
    );
    if (process.env.WRITE_QUALITY === '1') writeFileSync(QUALITY_FILE, `${JSON.stringify(measured, null, 2)}\n`);
    else assert.deepEqual(measured, MEASURED);
  });

  test('the models bench reports each loss beside that of a simple rule', async () => {
    const result = await run(smoke, () => {});
    assert.deepEqual(resultErrors(result), []);
    assert.equal(result.measurements.length, 11, 'one or two losses for each comparison; no recordings');
    assert.match(result.notes[0]!, /^Previews of 24 races, 2025\n/);
    const others = result.notes.slice(1).filter((note) => !note.startsWith('Chances of elimination'));
    assert.deepEqual(others, [], 'what needs recordings or tables of laps is left out');
  });

  test('live odds of later recordings are scored beside their previews', { skip: WITHOUT_RECORDINGS }, async () => {
    const { notes, measurements } = await run(['--simulations', '100', '--since', '2025-10'], () => {});
    assert.match(notes[1]!, /^Live odds against the official result/);
    assert.match(notes[1]!, /\n2025-mexico-race +25 % /);
    assert.doesNotMatch(notes[1]!, /2025-australia-race/);
    assert.ok(measurements.some(({ name }) => name === 'live odds at 25 % to order smoothed, log-loss'));
  });

  test('later races are scored alone, and if there are none, the bench says so and names recordings without a date', async (t) => {
    const options = ['--recordings', 'none', '--simulations', '100'];
    const later = await run([...options, '--since', '2025-11'], () => {});
    assert.match(later.notes[0]!, /^Previews of 4 races, 2025\n/);
    const folder = temporaryFolder(t);
    recorded(folder, 'undated', 'Heartbeat', {});
    const none = await run(['--recordings', folder, '--simulations', '100', '--since', '2027-01'], () => {});
    assert.deepEqual(none.measurements, []);
    assert.match(none.notes[0]!, /no race since 2027-01: no preview was measured/);
    assert.match(none.notes[1]!, /^No recording of a race since 2027-01: no live odds were measured/);
    assert.equal(none.notes[2], 'Left out, as no SessionInfo in them says when they were: archive/undated');
    await assert.rejects(
      run(['--since', 'July'], () => {}),
      /^Error: --since: give a month/,
    );
  });
});

/** A recording of one message. */
function recorded(folder: string, name: string, topic: string, message: object): void {
  const own = join(folder, 'archive', name);
  mkdirSync(own, { recursive: true });
  const json = JSON.stringify({ Utc: '2020-06-07T12:00:00Z', ...message });
  writeFileSync(join(own, `${topic}.jsonStream`), `00:00:00.000${json}\r\n`);
}

function forecasterOf(history: History): Forecaster {
  return new Forecaster(history);
}

function qualityOf({ seasons, races, scores, comparisons }: PreviewSummary, known: WeekendKnown): MeasuredQuality {
  const { winnerLogLoss, winnerBrier, placesRps, winCalibration, favourites } = scores[MODELS[known]];
  const { count, told, won, standardError } = favourites;
  return {
    seasons,
    races,
    winnerLogLoss: rounded(winnerLogLoss, 3),
    winnerBrier: rounded(winnerBrier, 3),
    placesRps: rounded(placesRps!, 4),
    calibrationError: rounded(winCalibration.error, 4),
    favourites: { count, told: rounded(told, 2), won: rounded(won, 2), standardError: rounded(standardError, 2) },
    baselines: comparisons
      .filter(({ model }) => model === MODELS[known])
      .map(({ baseline, winnerLogLoss }) => ({
        name: baseline.replaceAll(' ', '_') as MeasuredQuality['baselines'][number]['name'],
        winnerLogLoss: rounded(scores[baseline].winnerLogLoss, 3),
        difference: rounded(winnerLogLoss.mean, 3),
        standardError: rounded(winnerLogLoss.standardError, 3),
      })),
  };
}

/** The rows of docs/models.md: a season in each, the log-loss of model and simple rule, and their difference. */
function qualityTable(measured: typeof MEASURED): readonly string[] {
  const titles = { qualifying: 'grid and times', grid: 'grid alone', practice: 'practice', nothing: 'nothing' };
  return WEEKEND_KNOWN.flatMap((known) => {
    const cells = [...measured[known].bySeason, measured[known].all].map(({ winnerLogLoss, baselines }) => {
      const { difference, standardError } = baselines[0]!;
      const sign = difference > 0 ? '+' : '';
      return `${winnerLogLoss.toFixed(3)}, ${sign}${difference.toFixed(3)} (${standardError.toFixed(3)})`;
    });
    return `| ${titles[known]} | ${cells.join(' | ')} |`;
  });
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
