// How often panels are drawn, and in which colours.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast, rgbOf, visibleOn } from '#api/console/app/pages/theatre/panels/contrast.ts';
import { DrawPace } from '#api/console/app/pages/theatre/panels/draw-pace.ts';
import { demoUpdates } from './shown-updates.ts';

class Stage {
  nowMs = 0;
  version = 0;
  draws: number[] = [];
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];
  readonly pace = new DrawPace({
    version: () => this.version,
    draw: () => this.draws.push(this.nowMs),
    everyMs: 250,
    nowMs: () => this.nowMs,
    later: (run, delayMs) => {
      const timer = { atMs: this.nowMs + delayMs, run };
      this.#timers.push(timer);
      return () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      };
    },
  });

  /** Frames of 10 ms, each with a change. */
  run(untilMs: number, changes = true): void {
    for (; this.nowMs < untilMs; this.nowMs += 10) {
      const due = this.#timers.filter(({ atMs }) => atMs <= this.nowMs);
      this.#timers = this.#timers.filter((timer) => !due.includes(timer));
      for (const { run } of due) run();
      if (changes) this.version++;
      this.pace.changed();
    }
  }
}

test('a panel that changes all the time is drawn four times a second', () => {
  const stage = new Stage();
  stage.pace.seen(true);
  stage.run(1_000);
  assert.deepEqual(stage.draws, [0, 250, 500, 750]);
});

test('a panel that has not changed, or is out of sight, is not drawn', () => {
  const stage = new Stage();
  stage.pace.seen(true);
  stage.run(1_000, false);
  assert.deepEqual(stage.draws, []);
  stage.pace.seen(false);
  stage.run(2_000);
  assert.deepEqual(stage.draws, []);
  stage.pace.seen(true);
  assert.deepEqual(stage.draws, [2_000]);
  stage.run(2_100);
  stage.pace.stop();
  stage.run(4_000);
  assert.deepEqual(stage.draws, [2_000]);
});

test('team colours can be seen on both grounds, and change as little as they must', () => {
  const [light, dark] = [rgbOf('ffffff'), rgbOf('161b22')];
  const colours = demoUpdates()
    .filter(({ feed }) => feed === 'timing.driver-info')
    .flatMap(({ payload }) => payload.drivers as readonly { readonly teamColor?: string }[])
    .flatMap(({ teamColor }) => teamColor ?? []);
  assert.ok(colours.length >= 20);
  for (const colour of [...colours, '000000', 'FFFFFF', '1034A6'])
    for (const ground of [light, dark])
      assert.ok(contrast(visibleOn(ground, rgbOf(colour)), ground) >= 3, `${colour} on ${ground}`);
  assert.deepEqual(visibleOn(dark, rgbOf('2F7DE1')), rgbOf('2F7DE1'));
});
