import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForecastCache } from '#api/previews/forecast-cache.ts';
import type { PreviewQuestion } from '#api/previews/forecasts.ts';
import type { WeekendPreview } from '#api/previews/weekend-preview.ts';

const QUESTION: PreviewQuestion = { release: 'a', eventId: '2026-monaco', race: 'grand_prix', grid: null };

/** Only the field that the cache reads: the release of the preview. */
function previewFrom(release: string): WeekendPreview {
  return { parts: { generatedFrom: { release } } } as WeekendPreview;
}

/** Records each question. The test supplies the forecast. */
function slowForecasts() {
  const asked: { question: PreviewQuestion; answer: (preview: WeekendPreview | null | Error) => void }[] = [];
  const of = (question: PreviewQuestion) =>
    new Promise<WeekendPreview | null>((resolve, reject) => {
      const answer = (preview: WeekendPreview | null | Error) =>
        preview instanceof Error ? reject(preview) : resolve(preview);
      asked.push({ question, answer });
    });
  return { asked, of };
}

test('a forecast is computed once for all callers, concurrent and later ones', async () => {
  const slow = slowForecasts();
  const forecasts = new ForecastCache(slow);
  const both = [forecasts.of(QUESTION), forecasts.of({ ...QUESTION })];
  assert.equal(slow.asked.length, 1);
  const preview = previewFrom('a');
  slow.asked[0]!.answer(preview);
  assert.deepEqual(await Promise.all(both), [preview, preview]);
  assert.equal(await forecasts.of(QUESTION), preview);
  assert.equal(slow.asked.length, 1);
});

test('a different release, event, race or grid needs a forecast of its own', () => {
  const slow = slowForecasts();
  const forecasts = new ForecastCache(slow);
  const questions: readonly PreviewQuestion[] = [
    QUESTION,
    { ...QUESTION, release: 'b' },
    { ...QUESTION, eventId: '2026-spain' },
    { ...QUESTION, race: 'sprint' },
    { ...QUESTION, grid: [] },
    { ...QUESTION, grid: ['lando-norris', 'max-verstappen'] },
    { ...QUESTION, grid: ['max-verstappen', 'lando-norris'] },
  ];
  for (const question of questions) forecasts.of(question);
  assert.deepEqual(
    slow.asked.map(({ question }) => question),
    questions,
  );
});

test('I2: a full queue refuses a new question with a Retry-After, and callers can still wait for pending forecasts', async () => {
  const slow = slowForecasts();
  const forecasts = new ForecastCache(slow, 2);
  const first = forecasts.of(QUESTION);
  forecasts.of({ ...QUESTION, race: 'sprint' });
  const third = { ...QUESTION, eventId: '2026-spain' };
  await assert.rejects(forecasts.of(third), { code: 'unavailable', statusCode: 503, headers: { 'retry-after': '5' } });
  const again = forecasts.of(QUESTION);
  slow.asked[0]!.answer(previewFrom('a'));
  assert.equal(await again, await first);
  forecasts.of(third);
  assert.equal(slow.asked.length, 3);
});

test('a preview from a newer release than requested is cached under that newer release', async () => {
  const slow = slowForecasts();
  const forecasts = new ForecastCache(slow);
  const early = forecasts.of(QUESTION);
  slow.asked[0]!.answer(previewFrom('b'));
  const newer = await early;
  assert.equal(await forecasts.of({ ...QUESTION, release: 'b' }), newer);
  assert.equal(slow.asked.length, 1);
});

test('neither a failure nor an unknown race is cached', async () => {
  const slow = slowForecasts();
  const forecasts = new ForecastCache(slow);
  const failed = forecasts.of(QUESTION);
  slow.asked[0]!.answer(new Error('the thread died'));
  await assert.rejects(failed, /the thread died/);
  const unknown = forecasts.of(QUESTION);
  slow.asked[1]!.answer(null);
  assert.equal(await unknown, null);
  forecasts.of(QUESTION);
  assert.equal(slow.asked.length, 3);
});
