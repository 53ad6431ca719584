// `doctor`: checks everything that the service needs, changes nothing, and says what to do. The service may be running
// or not.

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { COMMAND_DATABASE_CONNECTIONS_MAX, DOCTOR_CHECK_MS } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { reachDatabase } from '#engine/storage/database.ts';
import { pidFileHolder } from '#engine/storage/embedded/pid-file.ts';
import { hasBuiltInDatabase } from '#engine/storage/embedded/server-folder.ts';
import { errorCode, errorText } from '#engine/storage/storage-error.ts';
import type { Command, Terminal } from './command.ts';
import { readArguments } from './command-line.ts';
import { diagnose, type Reached } from './doctor/diagnosis.ts';
import { type Finding, type Level, problem, unknown } from './doctor/finding.ts';
import { type ReadSettings, readSettings } from './doctor/settings-check.ts';

const HELP = `Checks everything that the service needs: settings, DATA_DIR and its disk, key, clock, database, ports, open files, memory,
native parts, name resolution and certificates, live timing, mail, payments and billed overage; the nodes of a cluster against
each other. Run it as the user of the service and with its settings: before the first start, after an upgrade, and whenever
something is wrong. The service may keep running.

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

export const doctorCommand: Command = {
  words: 'doctor',
  summary: 'Check everything that the service needs',
  help: HELP,

  async run(args, terminal) {
    const { values } = readArguments(args, { json: { type: 'boolean' } });
    const settings = readSettings(terminal.env);
    // If DATA_DIR cannot be read, its own check reports that.
    const servicePid = await pidFileHolder(join(settings.config.dataDir, 'service.pid')).catch(() => null);
    terminal.progress('checking settings, disk, database, network ...');
    const findings = await diagnose({ settings, env: terminal.env, servicePid, reaching: reach(settings) });
    const problems = findings.filter(({ level }) => level === 'problem').length;
    if (values.json === true) terminal.print(JSON.stringify({ ok: problems === 0, findings }));
    else print(findings, terminal);
    if (problems > 0) throw new ProblemsFound(problems === 1 ? '1 problem' : `${problems} problems`);
  },
};

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
  if (databaseUrl === null && !(await hasBuiltInDatabase(dataDir))) return { kind: 'none' };
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
    if (database !== null) {
      const sql = database.connect(COMMAND_DATABASE_CONNECTIONS_MAX);
      return { kind: 'open', sql, close: () => database.close() };
    }
    reaching.then((late) => late.close()).catch(() => {});
    return {
      kind: 'failed',
      found: problem('the database does not respond', 'See its log. Another process may be starting or stopping it.'),
    };
  } catch (error) {
    return { kind: 'failed', found: problem(errorText(error), 'The service cannot start without its database.') };
  }
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
