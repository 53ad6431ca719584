// A deriver of another version: it drops some updates, adds others and changes every body.

import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import type { Deriver } from '#engine/racing/derive/deriver.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import type { Update } from '#engine/timeline/update.ts';
import type { UpdateSink } from '#engine/timeline/update-sink.ts';

/** More laps than a race has. */
const LAPS = 1_000;

/** The lap of every update is LAPS and `version`. Lap counts are dropped, and race control messages come twice. */
export function changedDeriver(version = DERIVER_VERSION + 1): Deriver {
  return {
    version,
    begin: (timeline, series) => new SessionDeriver(new ChangedUpdates(timeline, version), series),
  };
}

class ChangedUpdates implements UpdateSink {
  readonly #timeline: UpdateSink;
  readonly #version: number;

  constructor(timeline: UpdateSink, version: number) {
    this.#timeline = timeline;
    this.#version = version;
  }

  start(utcMs: number): void {
    this.#timeline.start(utcMs);
  }

  roster(...given: Parameters<UpdateSink['roster']>): void {
    this.#timeline.roster(...given);
  }

  append(update: Update): void {
    if (update.feed === 'lap.count') return;
    const changed = { ...update, lap: LAPS + this.#version };
    this.#timeline.append(changed);
    if (update.feed === 'race-control.messages') this.#timeline.append(changed);
  }
}

/** The version of the changed deriver that made the body; null if the real one did. */
export function versionIn(body: string): number | null {
  const { lap = 0 } = JSON.parse(body) as { lap?: number };
  return lap > LAPS ? lap - LAPS : null;
}
