// What the demo's command line says.

import { parseArgs } from 'node:util';
import { DEMO_ENDPOINTS_MAX, DEMO_SECONDS_MAX } from '#engine/base/limits.ts';
import { REPLAY_SPEED_MAX } from '#schemas/http/runs.ts';

export interface DemoOptions {
  /** A recording to play instead of the built-in session; null: the built-in session. */
  readonly recording: string | null;
  readonly speed: number;
  readonly endpoints: number;
  /** Stop the replay after this many seconds; null: play it to its end. */
  readonly seconds: number | null;
  /** Leave the data folder behind. */
  readonly keep: boolean;
}

/** The command line makes no sense; the message says why. */
export class DemoUsageError extends Error {
  override readonly name = 'DemoUsageError';
}

export const DEMO_HELP = `Shows the service at work: starts it on free ports, registers local receivers that verify every
signature, replays a session into them, switches one receiver off for a while, and checks that
every update arrived once.

Usage: npm run demo -- [OPTIONS]

  --recording DIR   Play this recording (a live-timing archive folder) rather than the built-in race
  --speed N         How many times faster than it happened, up to ${REPLAY_SPEED_MAX} (${REPLAY_SPEED_MAX})
  --endpoints N     Receivers, up to ${DEMO_ENDPOINTS_MAX} (5)
  --seconds N       Stop the replay this many seconds after its session has started (play it to its end)
  --keep            Keep the data folder and say where it is

Exit code 0: everything arrived as it should. 1: it did not. 2: the command line makes no sense.

Examples:
  npm run demo
  npm run demo -- --endpoints 20 --seconds 30
  npm run demo -- --recording ./2018-azerbaijan-race --seconds 60`;

/** The options, or null when help is asked for. */
export function readDemoOptions(args: readonly string[]): DemoOptions | null {
  const values = parse(args);
  if (values.help === true) return null;
  return {
    recording: values.recording ?? null,
    speed: number('--speed', values.speed ?? String(REPLAY_SPEED_MAX), 0.1, REPLAY_SPEED_MAX, false),
    endpoints: number('--endpoints', values.endpoints ?? '5', 1, DEMO_ENDPOINTS_MAX, true),
    seconds: values.seconds === undefined ? null : number('--seconds', values.seconds, 1, DEMO_SECONDS_MAX, false),
    keep: values.keep === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        recording: { type: 'string' },
        speed: { type: 'string' },
        endpoints: { type: 'string' },
        seconds: { type: 'string' },
        keep: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new DemoUsageError(error instanceof Error ? error.message.split('. ')[0]! : String(error));
  }
}

function number(name: string, text: string, min: number, max: number, whole: boolean): number {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  throw new DemoUsageError(`${name}: "${text}" is not a ${whole ? 'whole ' : ''}number between ${min} and ${max}`);
}
