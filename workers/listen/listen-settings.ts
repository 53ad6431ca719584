// What `listen` is asked to do: its command line and its environment. Secrets come from the environment only, where no list
// of processes and no history of a shell shows them.

import type { StreamSelection } from '#api/client/slipstream-client.ts';
import { REPLAY_SPEED_MAX, REPLAY_SPEED_MIN } from '#schemas/http/replay-speed.ts';
import { UsageError } from '#workers/admin/command.ts';
import { readArguments } from '#workers/admin/command-line.ts';
import { apiAddress } from '#workers/api-address.ts';

/** Where updates go. `secret` null: a new one. */
export type Destination =
  | { readonly kind: 'forward'; readonly url: URL; readonly secret: string | null }
  | { readonly kind: 'print' };

export interface ListenSettings {
  /** Of the API. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `live`, or the id of a session. */
  readonly session: string;
  /** Null: as the session decides. */
  readonly speed: number | null;
  readonly selection: StreamSelection;
  readonly destination: Destination;
}

type Env = Readonly<Record<string, string | undefined>>;

export const LIVE = 'live';
const DEFAULT_URL = 'http://localhost:8080';
const RACE_EVENTS = 'events.race';
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

const TEXT = { type: 'string' } as const;
const OPTIONS = {
  'forward-to': TEXT,
  print: { type: 'boolean' },
  session: TEXT,
  speed: TEXT,
  after: TEXT,
  feeds: TEXT,
  events: TEXT,
  drivers: TEXT,
  'driver-numbers': TEXT,
  constructors: TEXT,
  'position-min': TEXT,
  'position-max': TEXT,
  url: TEXT,
  'client-id': TEXT,
} as const;

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values'];

/** Throws a UsageError that names the option or the setting. */
export function readListenSettings(args: readonly string[], env: Env): ListenSettings {
  const { values } = readArguments(args, OPTIONS);
  for (const [name, value] of Object.entries(values)) if (value === '') throw new UsageError(`--${name} is empty`);
  const { session = LIVE } = values;
  const paces = `a number from ${REPLAY_SPEED_MIN} to ${REPLAY_SPEED_MAX}`;
  const speed = numberOf(values, 'speed', /^\d+(\.\d+)?$/, paces);
  if (speed !== undefined && (speed < REPLAY_SPEED_MIN || speed > REPLAY_SPEED_MAX))
    throw new UsageError(`--speed must be ${paces}`);
  if (session === LIVE && speed !== undefined)
    throw new UsageError('--speed is for recorded sessions: name one with --session');
  return {
    destination: destinationOf(values, env),
    session,
    speed: speed ?? null,
    selection: selectionOf(values, session),
    baseUrl: apiAddress(values.url ?? given(env, 'SLIPSTREAM_URL') ?? DEFAULT_URL, 'SLIPSTREAM_URL or --url'),
    clientId: values['client-id'] ?? needed(env, 'SLIPSTREAM_CLIENT_ID', ', or say --client-id'),
    clientSecret: needed(env, 'SLIPSTREAM_CLIENT_SECRET'),
  };
}

function destinationOf(values: Values, env: Env): Destination {
  const forwardTo = values['forward-to'];
  if ((forwardTo === undefined) === (values.print !== true)) {
    throw new UsageError('say where updates go: either --forward-to URL or --print');
  }
  if (forwardTo === undefined) return { kind: 'print' };
  const secret = given(env, 'SLIPSTREAM_WEBHOOK_SECRET') ?? null;
  if (secret !== null && !SECRET.test(secret))
    throw new UsageError('SLIPSTREAM_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes as base64');
  return { kind: 'forward', url: urlOf(forwardTo), secret };
}

function urlOf(text: string): URL {
  const example = 'an address such as http://localhost:3000/hook';
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UsageError(`--forward-to must be ${example}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UsageError(`--forward-to must be ${example}`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--forward-to must have no user name or password');
  return url;
}

function selectionOf(values: Values, session: string): StreamSelection {
  const after = numberOf(values, 'after', /^\d{1,15}$/, 'a whole number');
  if (after !== undefined && session === LIVE)
    throw new UsageError('--after is a place in one session: name it with --session');
  // Who names race events means these and nothing else.
  const feeds = values.feeds ?? (values.events === undefined ? undefined : RACE_EVENTS);
  // The service checks the names.
  return {
    feeds: listed(feeds) as StreamSelection['feeds'],
    eventTypes: listed(values.events) as StreamSelection['eventTypes'],
    drivers: listed(values.drivers),
    driverNumbers: listed(values['driver-numbers']),
    constructors: listed(values.constructors),
    positionMin: numberOf(values, 'position-min', /^[1-9]\d?$/, 'a position, 1 to 99'),
    positionMax: numberOf(values, 'position-max', /^[1-9]\d?$/, 'a position, 1 to 99'),
    after,
  };
}

function listed(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}

function numberOf(
  values: Values,
  name: 'speed' | 'after' | 'position-min' | 'position-max',
  form: RegExp,
  what: string,
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!form.test(text)) throw new UsageError(`--${name} must be ${what}`);
  return Number(text);
}

function needed(env: Env, name: string, otherwise = ''): string {
  const value = given(env, name);
  if (value === undefined) throw new UsageError(`${name} is missing: put it into the environment${otherwise}`);
  return value;
}

function given(env: Env, name: string): string | undefined {
  return env[name] || undefined;
}
