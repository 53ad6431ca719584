// The options of the demo's command line.

import { DEMO_ENDPOINTS_MAX, DEMO_SECONDS_MAX } from '#engine/base/limits.ts';
import { REPLAY_SPEED_MAX } from '#schemas/http/replay-speed.ts';
import { UsageError } from '#workers/admin/command.ts';
import { readArguments } from '#workers/admin/command-line.ts';

export interface DemoOptions {
  /** The recording to play; null: the built-in session. */
  readonly recording: string | null;
  readonly speed: number;
  readonly endpoints: number;
  /** Whether every receiver speaks https; else only the first one does. */
  readonly https: boolean;
  /** Stop the replay after this many seconds; null: play it to its end. */
  readonly seconds: number | null;
  /** Whether to keep the data folder. */
  readonly keep: boolean;
}

export const DEMO_HELP = `Shows the service at work: starts it on free ports, registers local receivers that verify every
signature, replays a session to them, switches one receiver off for a while, and checks that
every update arrived exactly once. The first receiver speaks https, with a certificate that is
made on the spot, the others http. A stream over server-sent events and one over gRPC follow the
replay: they must have the same bytes.

Usage: npm run demo -- [OPTIONS]

  --recording DIR   Play this recording (a live-timing archive folder) and not the built-in race
  --speed N         Speed of the replay, up to ${REPLAY_SPEED_MAX} times as fast as the session (${REPLAY_SPEED_MAX})
  --endpoints N     Number of receivers, up to ${DEMO_ENDPOINTS_MAX} (5)
  --https           Let all receivers speak https
  --seconds N       Stop the replay this many seconds after its session has started (play it to its end)
  --keep            Keep the data folder and print its path

Exit codes: 0 all updates arrived as they should, 1 they did not, 2 the command line is invalid.

Examples:
  npm run demo
  npm run demo -- --endpoints 20 --seconds 30
  npm run demo -- --https
  npm run demo -- --recording ./2018-azerbaijan-race --seconds 60`;

const OPTIONS = {
  recording: { type: 'string' },
  speed: { type: 'string' },
  endpoints: { type: 'string' },
  https: { type: 'boolean' },
  seconds: { type: 'string' },
  keep: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns the options, or null for --help. Throws a UsageError. */
export function readDemoOptions(args: readonly string[]): DemoOptions | null {
  const { values } = readArguments(args, OPTIONS);
  if (values.help === true) return null;
  return {
    recording: values.recording ?? null,
    speed: number('--speed', values.speed ?? String(REPLAY_SPEED_MAX), 0.1, REPLAY_SPEED_MAX, false),
    endpoints: number('--endpoints', values.endpoints ?? '5', 1, DEMO_ENDPOINTS_MAX, true),
    https: values.https === true,
    seconds: values.seconds === undefined ? null : number('--seconds', values.seconds, 1, DEMO_SECONDS_MAX, false),
    keep: values.keep === true,
  };
}

function number(name: string, text: string, min: number, max: number, whole: boolean): number {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  throw new UsageError(`${name}: "${text}" is not a ${whole ? 'whole ' : ''}number between ${min} and ${max}`);
}
