// The latest warnings and errors that the threads have logged, for the operators' page. A thread that logs one tells it to
// all; the main thread keeps them from its start, so a new operators' thread knows those before it.

import { BroadcastChannel } from 'node:worker_threads';
import { WARNING_CHARS_MAX, WARNINGS_KEPT_MAX } from '#engine/base/limits.ts';
import type { ShownWarning } from '#schemas/http/operators.ts';

const CHANNEL = 'slipstream-warnings';
const LEVELS: Readonly<Record<number, ShownWarning['level']>> = { 40: 'warning', 50: 'error', 60: 'fatal' };

let sending: InstanceType<typeof BroadcastChannel> | null = null;

/** Tells all threads of a line that this one has logged. Costs nothing before the first. */
export function tellWarning(line: string): void {
  if (sending === null) {
    sending = new BroadcastChannel(CHANNEL);
    sending.unref();
  }
  sending.postMessage(line);
}

/** Hears of every line from now on. */
export function hearWarnings(heard: (warning: ShownWarning) => void): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.unref();
  channel.onmessage = (event) => heard(shownWarning((event as { readonly data: string }).data));
}

/** Keeps the latest WARNINGS_KEPT_MAX. */
export class WarningLog {
  readonly #followers: ((warning: ShownWarning) => void)[] = [];
  #latest: readonly ShownWarning[] = [];
  #count = 0;

  add(warning: ShownWarning): void {
    this.#count++;
    this.#latest = [...this.#latest, warning].slice(-WARNINGS_KEPT_MAX);
    for (const follower of this.#followers) follower(warning);
  }

  /** Tells `follower` of each from now on. */
  follow(follower: (warning: ShownWarning) => void): void {
    this.#followers.push(follower);
  }

  /** Oldest first. */
  get latest(): readonly ShownWarning[] {
    return this.#latest;
  }

  /** How many there have been. */
  get count(): number {
    return this.#count;
  }
}

/** `line`: as it was logged. */
export function shownWarning(line: string): ShownWarning {
  const { level, time, msg, thread, shard, ...details } = JSON.parse(line);
  const from = shard === undefined ? (thread ?? 'main') : `shard-${shard}`;
  const told = Object.entries(details).map(([name, value]) => `${name}: ${detailText(value)}`);
  return { at: time, level: LEVELS[level] ?? 'warning', from, text: cut(msg ?? ''), details: cut(told.join(', ')) };
}

/** Of an error its message: its stack is in the log. */
function detailText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'stack' in value && 'message' in value)
    return String(value.message);
  return JSON.stringify(value);
}

const cut = (text: string): string =>
  text.length > WARNING_CHARS_MAX ? `${text.slice(0, WARNING_CHARS_MAX - 1)}…` : text;
