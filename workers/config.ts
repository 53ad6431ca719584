// The service's settings, read from the environment once at start. All bad values are reported together, so an operator
// can correct them in one go. Error messages never repeat a value that may hold a password.
//
// To add a setting: a reader in `readConfig`, a field in `Config` and a line in help.ts.

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { StripeSettings } from '#api/billing/stripe-payments.ts';
import type { TrustProxy } from '#api/http/client-address.ts';
import type { FrontSettings } from '#api/http/front-settings.ts';
import {
  LOG_RETENTION_DAYS,
  LOG_RETENTION_DAYS_MAX,
  RUN_RETENTION_DAYS_MAX,
  SETTING_SHOWN_CHARS_MAX,
  SETTING_URL_CHARS_MAX,
  SHARDS_MAX,
} from '#engine/base/limits.ts';
import { KNOWN_SERIES } from '#engine/racing/series/known-series.ts';
import { SERIES_ID } from '#engine/racing/session-slug.ts';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { type KeyTexts, SECRET_KEY_CHARS_MIN } from '#engine/storage/secrets/secret-keys.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export interface AdminSettings {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
}

/** A service that shares its database with others. */
export interface ClusterSettings {
  /** Where the other nodes reach this one, and where its inner listener is. */
  readonly host: string;
  readonly port: number;
}

/** Files with PEM texts. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface GrpcSettings {
  readonly port: number;
  /** Null: plain, behind a proxy. */
  readonly tls: TlsFiles | null;
}

export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** An absolute path. */
  readonly dataDir: string;
  /** Null: the built-in database. */
  readonly databaseUrl: string | null;
  /** Address of the service as customers see it, without `/v1` or a trailing slash; null: built from host and port. */
  readonly publicUrl: string | null;
  /** Address of the web pages that mails link to, without a trailing slash; null: the public URL. */
  readonly siteUrl: string | null;
  /** Null: mails are written below DATA_DIR/outbox. */
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  readonly shards: number;
  /** Null: no live timing. */
  readonly liveTimingUrl: string | null;
  /** Bearer token for topics that are not public; null: none. */
  readonly liveTimingToken: string | null;
  /** Whether replays may go to URLs on this machine. */
  readonly replayToLocalhost: boolean;
  /** Whether live deliveries may also go to URLs on this machine. */
  readonly liveToLocalhost: boolean;
  /** The listener for operators; null: none. */
  readonly admin: AdminSettings | null;
  /** Null: no gRPC. It listens on `host`. */
  readonly grpc: GrpcSettings | null;
  /** Null: the service has its database for itself. */
  readonly cluster: ClusterSettings | null;
  /** The series on offer. The first one is the default. */
  readonly seriesIds: readonly string[];
  /** Null: the current year. */
  readonly season: number | null;
  /** The prefix of the headers of a delivery: `X-Service` gives `X-Service-Signature`. */
  readonly headerPrefix: string;
  /** The current key and, during a rotation, the previous one; null: the keys in DATA_DIR/secret.key. */
  readonly secretKey: KeyTexts | null;
  /** Null: no payments. */
  readonly stripe: StripeSettings | null;
  readonly trustProxy: TrustProxy;
  /** Web pages that may call the API from a browser. */
  readonly corsOrigins: FrontSettings['corsOrigins'];
  /** Whether the console is served. */
  readonly console: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly metrics: boolean;
  /** How long entries of the delivery log are shown. */
  readonly logRetentionDays: number;
  /** How long ended runs are kept. */
  readonly runRetentionDays: number;
}

/** The environment holds bad values. The message names each of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Returns the parsed value of a variable. Returns `unset` when it is not set, and also when it is bad: that is then a
 * problem.
 */
type Read = <Value>(name: string, unset: Value, parse: (text: string) => Value) => Value;

/** Whether a variable has a value, good or bad. */
const isSet = (read: Read, name: string): boolean => read<string | null>(name, null, (text) => text) !== null;

const HEADER_PREFIX = /^[A-Za-z](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const MAIL_ADDRESS = /^(?:[^<>\r\n]{1,200}<([^\s<>@]+@[^\s<>@]+)>|[^\s<>@]+@[^\s<>@]+)$/;

/** Reads the settings. Throws a ConfigError that lists every bad value. An empty variable counts as unset. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const read: Read = (name, unset, parse) => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return unset;
    try {
      return parse(text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push(message.startsWith(`${name}:`) ? message : `${name}: ${message}`);
      return unset;
    }
  };
  const shardsDefault = Math.min(SHARDS_MAX, Math.max(1, availableParallelism() - 1));
  const given = {
    host: read('HOST', '127.0.0.1', parseHost),
    port: read('PORT', 8080, (text) => integer(text, 0, 65_535, 'a port between 1 and 65535, or 0 for any free one')),
    dataDir: resolve(read('DATA_DIR', '.data', parsePath)),
    databaseUrl: read<string | null>('DATABASE_URL', null, (text) => {
      parseDatabaseUrl(text);
      return text;
    }),
    publicUrl: read<string | null>('PUBLIC_URL', null, parsePublicUrl),
    siteUrl: read<string | null>('SITE_URL', null, (text) => webUrl(text)),
    smtpUrl: read<string | null>('SMTP_URL', null, parseSmtpUrl),
    mailFrom: read('MAIL_FROM', 'Slipstream <no-reply@localhost>', parseMailFrom),
    shards: read('SHARDS', shardsDefault, (text) =>
      integer(text, 1, SHARDS_MAX, `a number of delivery threads between 1 and ${SHARDS_MAX}`),
    ),
    liveTimingUrl: read<string | null>('LIVE_TIMING_URL', null, parseLiveTimingUrl),
    liveTimingToken: read<string | null>('LIVE_TIMING_TOKEN', null, parseToken),
    replayToLocalhost: read<boolean | null>('REPLAY_TO_LOCALHOST', null, parseSwitch),
    liveToLocalhost: read('LIVE_TO_LOCALHOST', false, parseSwitch),
    admin: readAdmin(read, problems),
    grpc: readGrpc(read, problems),
    cluster: readCluster(read, problems),
    seriesIds: read<readonly string[]>('SERIES', [SERIES_ID], parseSeries),
    season: read<number | null>('SEASON', null, (text) => integer(text, 1950, 2999, 'a year such as 2026')),
    headerPrefix: read('HEADER_PREFIX', 'X-Service', parseHeaderPrefix),
    secretKey: readSecretKey(read, problems),
    trustProxy: read<TrustProxy>('TRUST_PROXY', { kind: 'none' }, parseTrustProxy),
    corsOrigins: read<FrontSettings['corsOrigins']>('CORS_ORIGINS', 'none', parseCorsOrigins),
    console: read('CONSOLE', true, parseSwitch),
    logLevel: read('LOG_LEVEL', 'info', parseLogLevel),
    metrics: read('METRICS', true, parseSwitch),
    logRetentionDays: read('LOG_RETENTION_DAYS', LOG_RETENTION_DAYS, (text) =>
      integer(text, 1, LOG_RETENTION_DAYS_MAX, `a number of days between 1 and ${LOG_RETENTION_DAYS_MAX}`),
    ),
    runRetentionDays: read<number | null>('RUN_RETENTION_DAYS', null, (text) =>
      integer(text, 1, RUN_RETENTION_DAYS_MAX, `a number of days between 1 and ${RUN_RETENTION_DAYS_MAX}`),
    ),
    stripe: readStripe(read, problems),
  };
  const isPrivate = isLoopback(given.host) && given.publicUrl === null;
  // Customers of a service that others can reach must not reach the other services of its machine.
  const config: Config = {
    ...given,
    replayToLocalhost: given.replayToLocalhost ?? isPrivate,
    runRetentionDays: given.runRetentionDays ?? given.logRetentionDays,
  };
  if (config.runRetentionDays < config.logRetentionDays) {
    problems.push(
      `RUN_RETENTION_DAYS: ${config.runRetentionDays} is less than LOG_RETENTION_DAYS (${config.logRetentionDays}): ` +
        'the log would show deliveries of runs that are gone',
    );
  }
  if (config.liveTimingUrl !== null && !config.seriesIds.includes(SERIES_ID)) {
    problems.push(`LIVE_TIMING_URL: live timing is of ${SERIES_ID}, which is missing in SERIES`);
  }
  if (config.liveTimingToken !== null && !isSet(read, 'LIVE_TIMING_URL'))
    problems.push('LIVE_TIMING_TOKEN: needs LIVE_TIMING_URL to be set as well');
  if (config.liveToLocalhost && !config.replayToLocalhost) {
    problems.push('LIVE_TO_LOCALHOST: needs REPLAY_TO_LOCALHOST=on, which is off for a service that others can reach');
  }
  if (config.port !== 0 && config.admin?.port === config.port) problems.push('ADMIN_PORT: is the same as PORT');
  const grpcPort = config.grpc?.port ?? 0;
  if (grpcPort !== 0 && grpcPort === config.port) problems.push('GRPC_PORT: is the same as PORT');
  if (grpcPort !== 0 && grpcPort === config.admin?.port) problems.push('GRPC_PORT: is the same as ADMIN_PORT');
  if (config.cluster !== null && [config.port, config.admin?.port, config.grpc?.port].includes(config.cluster.port))
    problems.push('CLUSTER_ADDRESS: its port is that of PORT, ADMIN_PORT or GRPC_PORT');
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Whether only programs on this machine can connect to this host. */
export function isLoopback(host: string): boolean {
  return ['127.0.0.1', '::1', 'localhost'].includes(host);
}

function quoted(text: string): string {
  return JSON.stringify(
    text.length > SETTING_SHOWN_CHARS_MAX ? `${text.slice(0, SETTING_SHOWN_CHARS_MAX - 1)}…` : text,
  );
}

function integer(text: string, min: number, max: number, what: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new Error(`${quoted(text)} is not ${what}`);
  return value;
}

function parseHost(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare)) return bare;
  if (HOST_NAME.test(text) && !/^[\d.]+$/.test(text)) return text;
  throw new Error(`${quoted(text)} is not an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0`);
}

function parseSeries(text: string): readonly string[] {
  const seriesIds = text.split(',').map((part) => part.trim());
  const known = KNOWN_SERIES.map(({ seriesId }) => seriesId);
  for (const seriesId of seriesIds) {
    if (!known.includes(seriesId)) throw new Error(`${quoted(seriesId)} is not one of ${known.join(', ')}`);
  }
  return [...new Set(seriesIds)];
}

function parsePath(text: string): string {
  if (text.includes('\0')) throw new Error('a path cannot hold a NUL character');
  return text;
}

function webUrl(text: string): string {
  const url = text.length <= SETTING_URL_CHARS_MAX ? URL.parse(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error(`${shownUrl(text)} is not a URL that begins with https:// or http://`);
  }
  if (url.username !== '' || url.password !== '') throw new Error('the URL must not hold a user or password');
  if (url.search !== '' || url.hash !== '') throw new Error(`${quoted(text)} must end before ? and #`);
  return url.href.replace(/\/+$/, '');
}

/** Accepts a SignalR hub as ws(s):// too. */
function parseLiveTimingUrl(text: string): string {
  return webUrl(text.replace(/^ws(s?):/i, 'http$1:'));
}

/** A text with an @ may hold a password in front of it. */
function shownUrl(text: string): string {
  return text.includes('@') ? 'the value' : quoted(text);
}

function parsePublicUrl(text: string): string {
  const url = webUrl(text);
  if (url.endsWith('/v1')) throw new Error(`${quoted(text)} must be without /v1, which the service adds itself`);
  return url;
}

function parseSmtpUrl(text: string): string {
  const url = text.length <= SETTING_URL_CHARS_MAX ? URL.parse(text) : null;
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') {
    throw new Error('not a URL of the form smtp://USER:PASSWORD@HOST:587 or smtps://USER:PASSWORD@HOST:465');
  }
  return text;
}

function parseMailFrom(text: string): string {
  if (!MAIL_ADDRESS.test(text)) {
    throw new Error(`${quoted(text)} is not a sender such as no-reply@example.com or Example <no-reply@example.com>`);
  }
  return text;
}

function parseHeaderPrefix(text: string): string {
  if (!HEADER_PREFIX.test(text)) {
    throw new Error(
      `${quoted(text)} cannot begin a header name: a letter first, then letters, digits and inner hyphens, 64 characters at most`,
    );
  }
  // `webhook-Signature` would clash with `webhook-signature` of Standard Webhooks, which has another value.
  if (text.toLowerCase() === 'webhook') throw new Error('"webhook" is reserved for the Standard Webhooks headers');
  return text;
}

function parseSecretKey(text: string): string {
  if (text.length < SECRET_KEY_CHARS_MIN) {
    throw new Error(
      `has ${text.length} characters and needs at least ${SECRET_KEY_CHARS_MIN}; try openssl rand -base64 32`,
    );
  }
  return text;
}

function readSecretKey(read: Read, problems: string[]): KeyTexts | null {
  const current = read<string | null>('SECRET_KEY', null, parseSecretKey);
  const previous = read<string | null>('SECRET_KEY_PREVIOUS', null, parseSecretKey);
  if (previous !== null && !isSet(read, 'SECRET_KEY'))
    problems.push('SECRET_KEY_PREVIOUS: needs SECRET_KEY to be set as well');
  if (current === null) return null;
  return previous === null || previous === current ? [current] : [current, previous];
}

function parseToken(text: string): string {
  if (!/^[\x21-\x7e]{16,4096}$/.test(text)) throw new Error('is not a token: 16 or more visible ASCII characters');
  return text;
}

/** Without a port there is no listener. Without a token it must listen on this machine only. */
function readAdmin(read: Read, problems: string[]): AdminSettings | null {
  const port = read<number | null>('ADMIN_PORT', null, (text) =>
    integer(text, 0, 65_535, 'a port between 1 and 65535, or 0 for any free one'),
  );
  const host = read('ADMIN_HOST', '127.0.0.1', parseHost);
  const token = read<string | null>('ADMIN_TOKEN', null, parseToken);
  for (const name of ['ADMIN_HOST', 'ADMIN_TOKEN']) {
    if (isSet(read, name) && !isSet(read, 'ADMIN_PORT')) problems.push(`${name}: needs ADMIN_PORT to be set as well`);
  }
  if (port === null) return null;
  if (token === null && !isLoopback(host)) {
    problems.push(`ADMIN_TOKEN: is required when other machines can reach ADMIN_HOST; try openssl rand -hex 32`);
  }
  return { host, port, token };
}

/** Without a port there is no gRPC. TLS needs both files. */
function readGrpc(read: Read, problems: string[]): GrpcSettings | null {
  const port = read<number | null>('GRPC_PORT', null, (text) =>
    integer(text, 0, 65_535, 'a port between 1 and 65535, or 0 for any free one'),
  );
  const file = (text: string): string => resolve(parsePath(text));
  const cert = read<string | null>('GRPC_TLS_CERT', null, file);
  const key = read<string | null>('GRPC_TLS_KEY', null, file);
  if ((cert === null) !== (key === null)) problems.push('GRPC_TLS_CERT and GRPC_TLS_KEY must be set together');
  if (cert !== null && !isSet(read, 'GRPC_PORT')) problems.push('GRPC_TLS_CERT: needs GRPC_PORT to be set as well');
  if (port === null) return null;
  return { port, tls: cert === null || key === null ? null : { cert, key } };
}

function readCluster(read: Read, problems: string[]): ClusterSettings | null {
  const isOn = read('CLUSTER', false, parseSwitch);
  const address = read<ClusterSettings | null>('CLUSTER_ADDRESS', null, parseClusterAddress);
  if (!isOn && address !== null) problems.push('CLUSTER_ADDRESS: needs CLUSTER=on');
  if (!isOn) return null;
  if (!isSet(read, 'CLUSTER_ADDRESS')) {
    problems.push(
      'CLUSTER_ADDRESS: is required with CLUSTER=on: where the other nodes reach this one, such as 10.0.0.1:8090',
    );
  }
  if (!isSet(read, 'DATABASE_URL')) problems.push('CLUSTER: needs DATABASE_URL, the database that all nodes share');
  if (!isSet(read, 'SECRET_KEY')) problems.push('CLUSTER: needs SECRET_KEY, the same for all nodes');
  return address;
}

function parseClusterAddress(text: string): ClusterSettings {
  const [, name, digits] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (name === undefined || digits === undefined)
    throw new Error(`${quoted(text)} is not HOST:PORT, such as 10.0.0.1:8090`);
  const host = parseHost(name);
  if (host === '0.0.0.0' || host === '::')
    throw new Error(`${quoted(text)} is no address that other nodes can reach: name this machine's`);
  return { host, port: integer(digits, 1, 65_535, 'HOST:PORT with a port between 1 and 65535') };
}

/** Payments need all three settings, or none. Overage is billed with a fourth. */
function readStripe(read: Read, problems: string[]): StripeSettings | null {
  const setting = (name: string, form: RegExp, prefix: string): string => {
    const text = read(name, '', (given) => given);
    if (text !== '' && !form.test(text)) problems.push(`${name}: is not a Stripe value, which begins with ${prefix}`);
    return text;
  };
  const secretKey = setting('STRIPE_SECRET_KEY', /^[sr]k_\w+$/, 'sk_ or rk_');
  const webhookSecret = setting('STRIPE_WEBHOOK_SECRET', /^whsec_\S+$/, 'whsec_');
  const priceId = setting('STRIPE_PRICE_ID', /^price_\w+$/, 'price_');
  const overagePriceId = setting('STRIPE_OVERAGE_PRICE_ID', /^price_\w+$/, 'price_');
  const given = [secretKey, webhookSecret, priceId].filter((text) => text !== '');
  if (given.length < 3 && (given.length > 0 || overagePriceId !== '')) {
    problems.push(
      given.length > 0
        ? 'STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and STRIPE_PRICE_ID must be set together'
        : 'STRIPE_OVERAGE_PRICE_ID: needs STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and STRIPE_PRICE_ID to be set as well',
    );
  }
  if (given.length === 0) return null;
  return { secretKey, webhookSecret, priceId, ...(overagePriceId !== '' && { overagePriceId }) };
}

function parseTrustProxy(text: string): TrustProxy {
  if (['true', 'yes', 'on', '1', 'all'].includes(text.toLowerCase())) return { kind: 'all' };
  if (['false', 'no', 'off', '0', 'none'].includes(text.toLowerCase())) return { kind: 'none' };
  const ranges = text.split(',').map((part) => part.trim());
  for (const range of ranges) {
    // The library also accepts short forms ("10" is 0.0.0.10). Here those are surely a mistake.
    const isAddress = ipaddr.IPv4.isValidFourPartDecimal(range) || ipaddr.IPv6.isValid(range);
    if (!isAddress && !(ipaddr.isValidCIDR(range) && /[.:].*\//.test(range))) {
      throw new Error(`${quoted(range)} is not true, false or an address or range such as 10.0.0.0/8`);
    }
  }
  return { kind: 'ranges', ranges };
}

function parseCorsOrigins(text: string): FrontSettings['corsOrigins'] {
  if (text === '*') return 'any';
  const origins = text.split(',').map((part) => {
    const given = part.trim();
    const url = URL.parse(given);
    // Browsers send an origin without path, user or query, so such a value would never match.
    if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
      throw new Error(`${shownUrl(given)} is not * or an origin such as https://app.example.com`);
    }
    return url.origin;
  });
  return new Set(origins);
}

function parseLogLevel(text: string): Config['logLevel'] {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (level === undefined) throw new Error(`${quoted(text)} is not one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function parseSwitch(text: string): boolean {
  if (['true', 'yes', 'on', '1'].includes(text.toLowerCase())) return true;
  if (['false', 'no', 'off', '0'].includes(text.toLowerCase())) return false;
  throw new Error(`${quoted(text)} is neither on nor off`);
}
