// Inputs from operators and from our own database: settings, command lines, sealed secrets and pending updates. Invalid
// ones are reported as such and never taken for something else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemRandomBytes } from '#engine/base/random.ts';
import { formatPending, parsePending } from '#engine/delivery/delivery-log/pending-text.ts';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { SealBroken, SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { runAdmin } from '#workers/admin/admin-tool.ts';
import { UsageError } from '#workers/admin/command.ts';
import { ConfigError, readConfig } from '#workers/config.ts';
import { readDemoOptions } from '#workers/demo/demo-options.ts';
import { damagedBytes } from './damage.ts';
import { Cases, fuzzRuns } from './runs.ts';

const SOUND: Readonly<Record<string, string>> = {
  HOST: '127.0.0.1',
  PORT: '8080',
  DATABASE_URL: 'postgres://race%40work:p%3Ass@db.example.com:6432/timing?sslmode=verify-full',
  PUBLIC_URL: 'https://api.example.com/base',
  SITE_URL: 'https://example.com',
  SMTP_URL: 'smtps://me:secret@mail.example.com:465',
  MAIL_FROM: 'Example <no-reply@example.com>',
  SHARDS: '2',
  LIVE_TIMING_URL: 'wss://livetiming.example.com/signalrcore',
  LIVE_TIMING_TOKEN: 'abcdefghijklmnopqrstuvwxyz',
  REPLAY_TO_LOCALHOST: 'on',
  LIVE_TO_LOCALHOST: 'on',
  ADMIN_PORT: '8090',
  ADMIN_HOST: '0.0.0.0',
  ADMIN_TOKEN: 'abcdefghijklmnopqrstuvwxyz',
  SERIES: 'f1,karting',
  SEASON: '2026',
  HEADER_PREFIX: 'X-Race',
  SECRET_KEY: 'a key of more than thirty-two characters',
  TRUST_PROXY: '10.0.0.0/8, ::1',
  CORS_ORIGINS: 'https://app.example.com',
  LOG_LEVEL: 'warn',
  LOG_RETENTION_DAYS: '30',
  METRICS: 'off',
};

const setting = fc
  .constantFrom(...Object.keys(SOUND))
  .chain((name) =>
    fc
      .oneof(
        { arbitrary: damagedBytes([SOUND[name]!]).map((bytes) => bytes.toString()), weight: 3 },
        fc.string({ unit: anyCharacter, maxLength: 40 }),
        fc.constantFrom(
          'constructor',
          '__proto__',
          '0',
          '-1',
          '1e9',
          '٣',
          'a'.repeat(5_000),
          '://',
          '[::1]',
          '*',
          '%',
          '\u0000',
        ),
      )
      .map((text) => [name, text] as const),
  );

test('any environment is read, or refused with the names of its invalid settings', (t) => {
  const cases = new Cases(t, 'environments');
  assert.equal(readConfig(SOUND).seriesIds.length, 2);
  fc.assert(
    fc.property(fc.array(setting, { minLength: 1, maxLength: 3 }), (changes) => {
      const env = { ...SOUND, ...Object.fromEntries(changes) };
      try {
        const { port, shards, season } = readConfig(env);
        assert.ok(Number.isInteger(port) && port >= 0 && port <= 65_535 && shards >= 1 && (season ?? 2026) >= 1950);
        cases.add('read');
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
        for (const problem of error.problems) {
          assert.match(problem, /^[A-Z_]+(, [A-Z_]+ and [A-Z_]+)?\b/);
          assert.ok(problem.length < 1_000, problem);
        }
        cases.add('refused');
      }
    }),
    fuzzRuns(250),
  );
});

test('any database address is parsed into plain data, or refused without showing its password', (t) => {
  const cases = new Cases(t, 'addresses');
  const mode = fc.constantFrom('disable', 'require', 'constructor', '__proto__', 'toString', '', 'Require');
  const address = fc.oneof(
    damagedBytes([SOUND.DATABASE_URL!]).map((bytes) => bytes.toString()),
    mode.map((text) => `postgres://u:hunter22@h/d?sslmode=${text}`),
  );
  // Kept: names of built-in object properties were once taken for a mode.
  const examples: [string][] = [['postgres://u@h/d?sslmode=constructor'], ['postgres://u@h/d?sslmode=__proto__']];
  fc.assert(
    fc.property(address, (text) => {
      try {
        const { host, user, tls, port } = parseDatabaseUrl(text);
        assert.ok(host !== '' && user !== '' && Number.isInteger(port), text);
        assert.ok(['off', 'prefer', 'require', 'verify-full'].includes(tls), text);
        cases.add('read');
      } catch (error) {
        assert.ok(error instanceof StorageError && error.message.startsWith('DATABASE_URL: '), String(error));
        assert.ok(!error.message.includes('hunter22'), error.message);
        cases.add('refused');
      }
    }),
    { ...fuzzRuns(250), examples },
  );
});

const COMMANDS = [
  'account create --email me@example.org --plan custom',
  'account plan me@example.org developer --spend-cap 200',
  'import recording nowhere --session 2025-miami-race --series karting',
  'import calendar nowhere --season 2026',
  'import history nowhere',
  'session list --help',
];
const word = fc.oneof(
  fc.constantFrom(...COMMANDS.flatMap((command) => command.split(' '))),
  fc.constantFrom(
    '--',
    '-',
    '--plan=',
    '--email',
    '-h',
    '--constructor',
    '--__proto__',
    '',
    '\u0000',
    '-1',
    'http://[',
    '🏁',
  ),
  fc.string({ maxLength: 8 }),
);

/** Whether these words name a command that might really run. Unknown options would stop it before. */
function isKnown(words: readonly string[]): boolean {
  if (words.includes('--constructor') || words.includes('--__proto__')) return false;
  const plain = words.filter((one) => !one.startsWith('-')).join(' ');
  return /^(account (create|plan)|session list|import \w+|backup|restore|doctor|secret)/.test(plain);
}

test('an invalid command line is reported, and nothing is done', async (t) => {
  const cases = new Cases(t, 'command lines');
  const dataDir = temporaryDataDir();
  const line = fc
    .tuple(fc.constantFrom(...COMMANDS), fc.array(fc.tuple(fc.nat(9), word), { minLength: 1, maxLength: 4 }))
    .map(([command, changes]) =>
      changes.reduce((words, [place, one]) => words.toSpliced(place, place % 2, one), command.split(' ')),
    )
    .filter((words) => !isKnown(words));
  await fc.assert(
    fc.asyncProperty(line, async (args) => {
      let output = '';
      const terminal = {
        env: { DATA_DIR: dataDir },
        interactive: false,
        print: (text: string) => (output += text),
        say: (text: string) => (output += text),
        progress() {},
      };
      const code = await runAdmin(args, terminal as never);
      cases.add(`ended with ${code}`);
      assert.ok(code === 2 || /--help|-h/.test(args.join(' ')), `${code} for ${JSON.stringify(args)}: ${output}`);
      assert.ok(output.length > 10);
    }),
    fuzzRuns(300),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(word, fc.constantFrom('--speed', '--endpoints', '--seconds', '1e3', '0x5'))),
      async (args) => {
        try {
          const options = readDemoOptions(args);
          assert.ok(
            options === null || (options.speed > 0 && options.endpoints >= 1 && !Number.isNaN(options.seconds)),
          );
        } catch (error) {
          assert.ok(error instanceof UsageError, String(error));
        }
        cases.add('demo');
      },
    ),
    fuzzRuns(300),
  );
});

test('a sealed secret that is altered in any way does not open', (t) => {
  const cases = new Cases(t, 'secrets');
  const box = new SecretBox('a key of more than thirty-two characters', systemRandomBytes);
  const text = 'whsec_c2VjcmV0';
  const sealed = [box.seal(text), box.seal('')];
  fc.assert(
    fc.property(damagedBytes(sealed), (bytes) => {
      const whole = sealed.findIndex((one) => one.equals(bytes));
      if (whole === -1) assert.throws(() => box.open(bytes), SealBroken);
      else assert.equal(box.open(bytes), [text, ''][whole]);
      cases.add();
    }),
    fuzzRuns(250),
  );
});

test('pending updates are read as they were written, and a damaged text is refused or gives numbers', (t) => {
  const cases = new Cases(t, 'texts');
  const pending = fc.array(
    fc.record(
      {
        position: fc.nat(4_000_000),
        attemptsMade: fc.integer({ min: 0, max: 4 }),
        dueAtMs: fc.double({ min: 0, max: 4e12, noNaN: true }),
      },
      { noNullPrototype: true },
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(pending, (updates) => {
      assert.deepEqual(
        parsePending(formatPending(updates)),
        updates.map((one) => ({ ...one, dueAtMs: one.dueAtMs + 0 })),
      );
      cases.add();
    }),
    fuzzRuns(300),
  );
  fc.assert(
    fc.property(damagedBytes(['1:0:1700000000000,22:3:1700000000000.25']), (bytes) => {
      let read: ReturnType<typeof parsePending>;
      try {
        read = parsePending(bytes.toString());
      } catch (error) {
        assert.match(String(error), /is a pending update/);
        return cases.add('refused');
      }
      cases.add('read');
      for (const { position, attemptsMade, dueAtMs } of read) {
        assert.ok(Number.isSafeInteger(position) && Number.isSafeInteger(attemptsMade) && Number.isFinite(dueAtMs));
      }
    }),
    fuzzRuns(250),
  );
});
