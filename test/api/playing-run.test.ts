import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlayingRun } from '#api/simulate/playing-run.ts';

function playingRun(): PlayingRun {
  const session = {
    sessionId: '2026-monza-race',
    seriesId: 'f1',
    name: 'Monza',
    type: 'race',
    circuitName: 'Monza',
    season: 2026,
    startAt: new Date(0),
    durationMs: 1_000,
    updateCount: 1,
    demo: false,
  };
  return new PlayingRun({ runId: 'run_1', accountId: 'account_1', session, sinks: 'webhook', speed: 1 });
}

test('a run ends after it is asked to stop, or ends by itself', () => {
  const asked = playingRun();
  assert.deepEqual(asked.phase, { kind: 'playing' });
  asked.stop();
  assert.deepEqual(asked.phase, { kind: 'stopping' });
  asked.end('stopped');
  assert.deepEqual(asked.phase, { kind: 'ended', state: 'stopped' });
  const unasked = playingRun();
  unasked.end('completed');
  assert.deepEqual(unasked.phase, { kind: 'ended', state: 'completed' });
});

test('a run never goes back: it cannot be stopped twice, and once ended it can neither stop nor end again', () => {
  const run = playingRun();
  run.stop();
  assert.throws(() => run.stop(), /no run goes from stopping to stopping/);
  run.end('stopped');
  assert.throws(() => run.stop(), /from ended to stopping/);
  assert.throws(() => run.end('completed'), /from ended to ended/);
  assert.deepEqual(run.phase, { kind: 'ended', state: 'stopped' });
});

test('the end of a run cannot be recorded while it is still playing', () => {
  assert.throws(() => playingRun().hasEnded(), /only the end of a run that is over/);
});
