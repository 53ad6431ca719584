import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PlaceBaseline, standingsBefore } from '#bench/models/baselines.ts';
import { evaluatePreviews, FORECASTERS, type ForecasterName } from '#bench/models/preview-evaluation.ts';
import { brierScore, calibrationOf, logLoss, pairedDifference, rankedProbabilityScore } from '#bench/models/scoring.ts';
import { run, smoke } from '#bench/models.ts';
import { resultErrors } from '#bench/suite/result-check.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import {
  MEASURED_BEFORE_QUALIFYING,
  MEASURED_RACES,
  MEASURED_SEASONS,
  MEASURED_SIMULATIONS,
  MEASURED_WITH_GRID,
  type MeasuredQuality,
} from '#engine/seasons/forecast/measured-quality.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { inventedHistory } from '#test/support/invented-history.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY } from '#test/support/shared-data.ts';

const MODELS_PAGE = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
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
      for (const row of [win, ...chances]) {
        assert.ok(Math.abs(row.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-9);
      }
    }),
  );
  const third = new PlaceBaseline({ wins: 1, fade: 0.8, width: 1 });
  for (let race = 0; race < 20; race++) third.learn([3, 1, 2]);
  const { win, places } = third.forecast([1, 2, 3]);
  assert.ok(win[2]! > 0.8 && places[2]![0]! > places[2]![2]!);
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
  const evaluation = evaluatePreviews(invented, new Forecaster(invented), options);
  assert.deepEqual(evaluation.seasons, [2020]);
  assert.equal(evaluation.races, 8);
  for (const name of FORECASTERS) {
    const { winnerLogLoss, winnerBrier, placesRps, winCalibration } = evaluation.scores[name];
    for (const score of [winnerLogLoss, winnerBrier, placesRps, winCalibration.error])
      assert.ok(Number.isFinite(score));
    assert.equal(evaluation.bySeason[0]!.winnerLogLoss[name], winnerLogLoss);
  }
  const { 'model with grid': model, uniform } = evaluation.scores;
  assert.ok(model.winnerLogLoss < uniform.winnerLogLoss && model.placesRps < uniform.placesRps);
  assert.deepEqual(evaluatePreviews(invented, new Forecaster(invented), options), evaluation);
});

test('docs/models.md shows the same quality of previews as the API', () => {
  const row = (title: string): readonly string[] => {
    const line = MODELS_PAGE.split('\n').find((line) => line.startsWith(`| ${title} `));
    return line!
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());
  };
  const quality = ({ winnerLogLoss, winnerBrier, placesRps, calibrationError }: MeasuredQuality): readonly string[] => [
    winnerLogLoss.toFixed(3),
    winnerBrier.toFixed(3),
    placesRps.toFixed(4),
    calibrationError.toFixed(3),
  ];
  assert.deepEqual(row('model, with the grid'), quality(MEASURED_WITH_GRID));
  assert.deepEqual(row('model, before qualifying'), quality(MEASURED_BEFORE_QUALIFYING));
  const losses = ['how often each place won', 'by place in the standings', 'every driver alike'].map(
    (title) => row(title)[0],
  );
  assert.deepEqual(
    losses,
    MEASURED_WITH_GRID.baselines.map(({ winnerLogLoss }) => winnerLogLoss.toFixed(3)),
  );
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
    const history = realHistory();
    const { seasons, races, scores, comparisons } = evaluatePreviews(history, new Forecaster(history), {
      fromSeason: MEASURED_SEASONS[0]!,
      toSeason: MEASURED_SEASONS.at(-1)!,
      simulations: MEASURED_SIMULATIONS,
    });
    assert.deepEqual([seasons, races], [MEASURED_SEASONS, MEASURED_RACES]);
    const measured = (model: ForecasterName): MeasuredQuality => ({
      winnerLogLoss: rounded(scores[model].winnerLogLoss, 3),
      winnerBrier: rounded(scores[model].winnerBrier, 3),
      placesRps: rounded(scores[model].placesRps, 4),
      calibrationError: rounded(scores[model].winCalibration.error, 4),
      baselines: comparisons
        .filter((comparison) => comparison.model === model)
        .map(({ baseline, winnerLogLoss }) => ({
          name: baseline as MeasuredQuality['baselines'][number]['name'],
          winnerLogLoss: rounded(scores[baseline].winnerLogLoss, 3),
          difference: rounded(winnerLogLoss.mean, 3),
          standardError: rounded(winnerLogLoss.standardError, 3),
        })),
    });
    assert.deepEqual(measured('model with grid'), MEASURED_WITH_GRID);
    assert.deepEqual(measured('model before qualifying'), MEASURED_BEFORE_QUALIFYING);
  });

  test('the models bench reports each loss beside that of a simple forecast', async () => {
    const result = await run(smoke, () => {});
    assert.deepEqual(resultErrors(result), []);
    assert.equal(result.measurements.length, 10, 'two losses for each of five comparisons; no recordings');
    const toUniform = result.measurements.find(({ name }) => name === 'preview, model with grid to uniform, log-loss');
    assert.ok(toUniform!.samples[0]! < 1);
    assert.match(result.notes[0]!, /^Previews of 24 races, 2025 to 2025/);
  });
});

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
