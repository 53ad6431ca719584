// `doctor`: checks everything that the service needs, changes nothing, and says what to do. The service may be running
// or not.

import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { COMMAND_DATABASE_CONNECTIONS_MAX, DOCTOR_CHECK_MS } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { type Database, reachDatabase } from '#engine/storage/database.ts';
import { pidFileHolder } from '#engine/storage/embedded/pid-file.ts';
import { appliedMigrations } from '#engine/storage/migrations.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { errorCode, errorText } from '#engine/storage/storage-error.ts';
import type { Command, Terminal } from './command.ts';
import { readArguments } from './command-line.ts';
import { checkClock, checkClockOfDatabase } from './doctor/clock-check.ts';
import { checkDataDir } from './doctor/data-dir-check.ts';
import { checkDatabase } from './doctor/database-check.ts';
import { type Check, type Finding, type Found, type Level, ok, problem, runCheck, unknown } from './doctor/finding.ts';
import { checkFileLimit, checkMemory } from './doctor/machine-check.ts';
import { checkLiveTiming, checkMail, checkNetwork, checkPayments } from './doctor/network-check.ts';
import { checkOverage } from './doctor/overage-check.ts';
import { checkPorts } from './doctor/ports-check.ts';
import { checkRuntime } from './doctor/runtime-check.ts';
import { checkSecretKey } from './doctor/secret-key-check.ts';
import { checkSettings, type ReadSettings, readSettings } from './doctor/settings-check.ts';

const HELP = `Checks everything that the service needs: settings, DATA_DIR and its disk, key, clock, database, ports, open files, memory,
native parts, name resolution and certificates, live timing, mail, payments and billed overage. Run it as the user of the
service and with its settings: before the first start, after an upgrade, and whenever something is wrong. The service may keep
running.

It changes nothing. If the service is not running, it starts the built-in database for the time of the check. The only other
machines that it contacts are those of the database, the name servers, LIVE_TIMING_URL, SMTP_URL and, with payments, Stripe.
Every check has a time limit.

Usage: npm run admin -- doctor [--json]

  --json         Print JSON: {"ok", "findings": [{"check", "level", "text", "next"}]}

Each line is ok, a warning, a problem, or unknown (cannot be checked here), with the next step. The exit code is 1 when there
is a problem, and 0 otherwise.

Example:
  npm run admin -- doctor`;

const COLOURS: Readonly<Record<Level, string>> = { ok: '32', warning: '33', problem: '31', unknown: '36' };

/** At least one problem keeps the service from working. */
class ProblemsFound extends Error {
  override readonly name = 'ProblemsFound';
}

/** What the database checks start from: an open database, none yet, or the reason why it cannot be reached. */
type Reached =
  | { readonly kind: 'open'; readonly database: Database; readonly sql: Sql }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly found: Found };

export const doctorCommand: Command = {
  words: 'doctor',
  summary: 'Check everything that the service needs',
  help: HELP,

  async run(args, terminal) {
    const { values } = readArguments(args, { json: { type: 'boolean' } });
    const settings = readSettings(terminal.env);
    const findings = await findAll(settings, terminal);
    const problems = findings.filter(({ level }) => level === 'problem').length;
    if (values.json === true) terminal.print(JSON.stringify({ ok: problems === 0, findings }));
    else print(findings, terminal);
    if (problems > 0) throw new ProblemsFound(problems === 1 ? '1 problem' : `${problems} problems`);
  },
};

async function findAll(settings: ReadSettings, terminal: Terminal): Promise<Finding[]> {
  const { config } = settings;
  // If DATA_DIR cannot be read, its own check reports that.
  const servicePid = await pidFileHolder(join(config.dataDir, 'service.pid')).catch(() => null);
  const builtIn = config.databaseUrl === null;
  const reaching = reach(settings);
  const withDatabase = (use: (sql: Sql) => Promise<readonly Found[]>, none: Found) => async () => {
    const reached = await reaching;
    if (reached.kind === 'open') return use(reached.sql);
    return reached.kind === 'none' ? [none] : [reached.found];
  };
  const later = unknown('cannot be checked without the database', 'See the finding about the database.');
  const checks: readonly Check[] = [
    { name: 'settings', run: async () => checkSettings(settings) },
    { name: 'runtime', run: () => checkRuntime(builtIn) },
    { name: 'DATA_DIR', run: () => checkDataDir(config.dataDir) },
    {
      name: 'database',
      run: withDatabase(
        (sql) => checkDatabase(sql, config.shards, servicePid !== null),
        ok('the first start creates it'),
      ),
    },
    {
      name: 'key',
      run: async () => {
        const reached = await reaching;
        return reached.kind === 'failed'
          ? [later]
          : checkSecretKey(config, reached.kind === 'open' ? reached.sql : null);
      },
    },
    {
      name: 'clock',
      run: async () => {
        const [own, reached] = await Promise.all([checkClock(), reaching]);
        return reached.kind === 'open' ? [...own, await checkClockOfDatabase(reached.sql)] : own;
      },
    },
    { name: 'ports', run: () => checkPorts(config, servicePid) },
    { name: 'files', run: async () => checkFileLimit(config.shards, await endpointsOf(await reaching)) },
    { name: 'memory', run: () => checkMemory(config.shards, builtIn) },
    { name: 'network', run: () => checkNetwork(terminal.env) },
    { name: 'live timing', run: () => checkLiveTiming(config) },
    { name: 'mail', run: () => checkMail(config) },
    { name: 'payments', run: () => checkPayments(config) },
    {
      name: 'overage',
      run: withDatabase((sql) => checkOverage(sql, config, systemClock.wallMs()), ok('nothing was billed yet')),
    },
  ];
  try {
    return (await Promise.all(checks.map((check) => runCheck(check)))).flat();
  } finally {
    const reached = await reaching;
    if (reached.kind === 'open') await reached.database.close();
  }
}

/** Reaches the database. Starts the built-in server when the service does not run, but never creates one. */
async function reach({ config, left }: ReadSettings): Promise<Reached> {
  const { databaseUrl, dataDir } = config;
  for (const setting of ['DATABASE_URL', 'DATA_DIR']) {
    if (left.has(setting)) return { kind: 'failed', found: unknown(`${setting} has a bad value`, 'Correct it first.') };
  }
  const hidden = await access(dataDir).then(
    () => false,
    (error) => errorCode(error) !== 'ENOENT',
  );
  if (databaseUrl === null && hidden) {
    return { kind: 'failed', found: unknown('DATA_DIR cannot be read', 'Correct that first.') };
  }
  if (databaseUrl === null && !['postgres', 'postgres.json'].some((name) => existsSync(join(dataDir, name)))) {
    return { kind: 'none' };
  }
  try {
    const log = { info() {}, warn() {}, error() {} };
    const reaching = reachDatabase({
      databaseUrl,
      dataDir,
      role: 'command',
      log,
      clock: systemClock,
      randomBytes: systemRandomBytes,
    });
    const database = await Promise.race([reaching, pause(DOCTOR_CHECK_MS, null, { ref: false })]);
    if (database !== null) return { kind: 'open', database, sql: database.connect(COMMAND_DATABASE_CONNECTIONS_MAX) };
    reaching.then((late) => late.close()).catch(() => {});
    return {
      kind: 'failed',
      found: problem('the database does not respond', 'See its log. Another process may be starting or stopping it.'),
    };
  } catch (error) {
    return { kind: 'failed', found: problem(errorText(error), 'The service cannot start without its database.') };
  }
}

async function endpointsOf(reached: Reached): Promise<number> {
  if (reached.kind !== 'open' || (await appliedMigrations(reached.sql)).length === 0) return 0;
  const [row] = await reached.sql<{ count: number }[]>`
    select count(*)::int as count from webhook where active and deleted_at is null`;
  return row!.count;
}

function print(findings: readonly Finding[], terminal: Terminal): void {
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, level, text, next } of findings) {
    const word = level.padEnd('problem'.length);
    const shown = terminal.interactive ? `\x1b[${COLOURS[level]}m${word}\x1b[0m` : word;
    terminal.print(`${shown}  ${check.padEnd(width)}  ${text}`);
    if (next !== '') terminal.print(`${' '.repeat(word.length + width + 4)}-> ${next}`);
  }
}
