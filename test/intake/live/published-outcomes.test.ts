import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublishedOutcomes } from '#engine/intake/live/published-outcomes.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';

test('an outcome is new when it has changed since it was last published', () => {
  const published = new PublishedOutcomes();
  const frames = [...demoSessionFrames()];
  const early = () => recordedOutcome(F1, frames.slice(0, 2_000))!;
  const over = () => recordedOutcome(F1, frames)!;
  const results = [early, early, over, over, early].map((outcome) => published.isNew('demo-race', outcome()));
  assert.deepEqual(results, [true, false, true, false, true]);
});

test('each session has its own outcome, which is new again once it was forgotten', () => {
  const published = new PublishedOutcomes();
  const outcome = recordedOutcome(F1, demoSessionFrames())!;
  assert.ok(published.isNew('2026-monaco-race', outcome) && published.isNew('2026-spain-race', outcome));
  published.forget('2026-monaco-race');
  assert.deepEqual(
    ['2026-monaco-race', '2026-spain-race'].map((sessionId) => published.isNew(sessionId, outcome)),
    [true, false],
  );
});
