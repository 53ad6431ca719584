// Between the deriver of a resumed session and its timeline. While it is closed, the deriver derives frames again whose
// updates the timeline has already, as they were published: they are discarded, and only what the deriver knows of the
// session is built up. Once it is open, updates are appended.

import type { RosterDriver } from '#engine/timeline/roster.ts';
import type { Update } from '#engine/timeline/update.ts';
import type { UpdateSink } from '#engine/timeline/update-sink.ts';

export class UpdateGate implements UpdateSink {
  readonly #timeline: UpdateSink;
  /** The drivers of the discarded rosters, in the order in which they appeared; null while the gate is open. */
  #drivers: Map<string, RosterDriver> | null = null;

  constructor(timeline: UpdateSink) {
    this.#timeline = timeline;
  }

  close(): void {
    this.#drivers ??= new Map();
  }

  /** From here on, the drivers are known as the present deriver knows them. */
  open(): void {
    if (this.#drivers === null) return;
    const drivers = this.#drivers.values();
    this.#drivers = null;
    this.#timeline.roster(drivers);
  }

  start(utcMs: number): void {
    if (this.#drivers === null) this.#timeline.start(utcMs);
  }

  roster(drivers: Iterable<RosterDriver>): void {
    if (this.#drivers === null) this.#timeline.roster(drivers);
    else for (const driver of drivers) this.#drivers.set(driver.number, driver);
  }

  append(update: Update): void {
    if (this.#drivers === null) this.#timeline.append(update);
  }
}
