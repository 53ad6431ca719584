import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { MARGIN_FIT, marginFitLoss } from '#bench/fit/margin-fit.ts';
import { ODDS_FIT, oddsLoss } from '#bench/fit/odds-fit.ts';
import { FIT_SEASON_MAX, upTo } from '#bench/fit/previews.ts';
import { lapRaces } from '#bench/models/lap-races.ts';
import { marginCases, marginLoss, marginShares, marginsByGap } from '#bench/models/margin-cases.ts';
import type { OddsCase } from '#bench/models/odds-cases.ts';
import { tabledOddsCases } from '#bench/models/odds-history.ts';
import { LAPS } from '#bench/suite/shared-data.ts';
import margin from '#engine/racing/analytics/coefficients/margin.json' with { type: 'json' };
import odds from '#engine/racing/analytics/coefficients/odds.json' with { type: 'json' };
import { MARGIN_SETTINGS } from '#engine/racing/analytics/margin-settings.ts';
import { ODDS_SETTINGS } from '#engine/racing/analytics/odds-settings.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY } from '#test/support/shared-data.ts';

const SKIP = WITHOUT_HISTORY || (existsSync(LAPS) ? false : 'no tables of laps');

const moment = { quarter: 1 } as OddsCase;

test('a margin costs the squared distances to what happened, and the rules know how past margins followed gaps', () => {
  // Within 1, 2, 5, 10, 20 and 30 s.
  assert.equal(marginLoss([0, 0, 1, 1, 1, 1], { moment, gapSeconds: 1, marginSeconds: 4 }), 0);
  assert.equal(marginLoss([0.5, 0, 0, 1, 1, 1], { moment, gapSeconds: 1, marginSeconds: 4 }), 1.25 / 6);
  const past = [0, 1, 2, 3].map((power) => ({
    moment,
    gapSeconds: Math.exp(power) - 1,
    marginSeconds: Math.exp(power + (power % 2 === 0 ? 0.5 : 0.7)) - 1,
  }));
  assert.deepEqual(marginShares(past), [0.25, 0.25, 0.5, 0.5, 0.75, 0.75]);
  const told = marginsByGap(past)({ moment, gapSeconds: Math.exp(1.5) - 1, marginSeconds: 0 });
  assert.ok(told.every((chance, index) => chance >= (told[index - 1] ?? 0)) && told[2]! < 0.1 && told[3]! > 0.9);
});

describe('the fit of live odds on real laps', { skip: SKIP }, () => {
  const history = SKIP ? null : upTo(realHistory(), FIT_SEASON_MAX);
  const cases = history === null ? [] : tabledOddsCases(LAPS, [FIT_SEASON_MAX], history);

  test('the file has the numbers of the fit: on the last season of it they beat a world without strengths, and one of equal circuits', () => {
    assert.equal(odds.method, ODDS_FIT.method);
    const loss = oddsLoss(cases, ODDS_SETTINGS);
    assert.ok(loss < oddsLoss(cases, { ...ODDS_SETTINGS, strengthSeconds: [0, 0] }) - 0.05);
    assert.ok(loss < oddsLoss(cases, { ...ODDS_SETTINGS, passEase: 0 }) - 0.01);
  });

  test('the file of the winning margin has the numbers of its fit: on the last season of it they beat shorter, longer and wider margins after a gap', () => {
    assert.equal(margin.method, MARGIN_FIT.method);
    const grandsPrix = cases.filter(({ sessionId }) => !sessionId.endsWith('-sprint'));
    const moments = marginCases(grandsPrix, history!);
    const loss = marginFitLoss(moments, MARGIN_SETTINGS);
    const { level, scatter } = MARGIN_SETTINGS;
    const others = [
      { level: [level[0] / 2, level[1]] as const },
      { level: [level[0] * 2, level[1]] as const },
      { scatter: [scatter[0] * 3, scatter[1] * 3] as const },
    ];
    for (const other of others) {
      const worse = marginFitLoss(moments, { ...MARGIN_SETTINGS, ...other });
      assert.ok(loss < worse - 0.001, `${JSON.stringify(other)}: ${loss} ${worse}`);
    }
  });

  test('a table gives the race: each driver completes the laps of the result, and stops as often as the history has it', () => {
    const race = lapRaces(LAPS, 2021, realHistory()).find(({ sessionId }) => sessionId === '2021-bahrain-race')!;
    assert.equal(race.laps, 56);
    const ofTopic = (topic: string) =>
      race.frames.filter((frame) => frame.topic === topic).map(({ json }) => JSON.parse(json));
    const winner = race.result[0]!.number;
    const lines = ofTopic('TimingData').flatMap(({ Lines }) => (Lines[winner] === undefined ? [] : [Lines[winner]]));
    assert.equal(lines.filter(({ NumberOfLaps }) => NumberOfLaps !== undefined).length, 56);
    const stops = race.weekend.pitStops.filter(({ number }) => number === winner).length;
    assert.equal(lines.filter(({ InPit }) => InPit === true).length, stops);
    assert.ok(race.frames.every(({ utcMs }, index) => index === 0 || utcMs >= race.frames[index - 1]!.utcMs));
  });
});
