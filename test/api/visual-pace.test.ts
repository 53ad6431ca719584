// The pace of a visual stream, without the API around it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventChannel } from '#api/http/event-channel.ts';
import { VisualStream } from '#api/simulate/visual-stream.ts';
import { systemClock } from '#engine/base/clock.ts';
import { until } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

for (const stepMs of [-20_000, 20_000]) {
  test(`a wall clock that is set by ${stepMs / 1_000} s neither stops nor hurries the stream`, async () => {
    let aheadMs = 0;
    const clock = { nowMs: systemClock.nowMs, wallMs: () => Date.now() + aheadMs };
    const events: string[] = [];
    const channel: EventChannel = {
      write: (bytes) => events.push(bytes.toString()) > 0,
      onClose() {},
      onDrain() {},
      close() {},
      end() {},
    };
    let ended = '';
    const beganMs = performance.now();
    const stream = new VisualStream({
      run: { runId: 'run_1', sessionId: 'small-race', speed: 1, pacedFromMs: clock.nowMs() },
      timeline: steadyTimeline(20, 20),
      from: 0,
      isPaused: false,
      feeds: null,
      channel,
      clock,
      onEvent: (how) => {
        ended = how;
      },
    });
    aheadMs = stepMs;
    await until(() => ended !== '');
    stream.finish('completed');
    assert.equal(ended, 'played');
    const tookMs = performance.now() - beganMs;
    assert.ok(tookMs > 300 && tookMs < 10_000, `${tookMs} ms for 20 updates, 20 ms apart`);
  });
}
