import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublishedOutcomes } from '#engine/intake/live/published-outcomes.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';

test('how a session stands is told when it has changed, and not again', () => {
  const told = new PublishedOutcomes();
  const frames = [...demoSessionFrames()];
  const early = () => recordedOutcome(F1, frames.slice(0, 2_000))!;
  const over = () => recordedOutcome(F1, frames)!;
  const answers = [early, early, over, over, early].map((outcome) => told.isNew('demo-race', outcome()));
  assert.deepEqual(answers, [true, false, true, false, true]);
});

test('each session is told for itself, and anew when it was forgotten', () => {
  const told = new PublishedOutcomes();
  const outcome = recordedOutcome(F1, demoSessionFrames())!;
  assert.ok(told.isNew('2026-monaco-race', outcome) && told.isNew('2026-spain-race', outcome));
  told.forget('2026-monaco-race');
  assert.deepEqual(
    ['2026-monaco-race', '2026-spain-race'].map((sessionId) => told.isNew(sessionId, outcome)),
    [true, false],
  );
});
