// `run stop`: stops a replay or a resend of any account. The service that plays it does so, as for its owner. This command only
// marks the run and notifies the service, which is another process.

import type { OperatedRun } from '#api/simulate/operator-run-store.ts';
import { postgresOperatorRunStore } from '#api/simulate/postgres-operator-run-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { isId } from '#engine/base/ids.ts';
import { OPERATOR_STOP_POLL_MS, OPERATOR_STOP_WAIT_MS } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { isServiceRunning } from '#engine/storage/service-lock.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { RunRefused } from './run-refused.ts';
import { type ServiceParts, withService } from './service-database.ts';

const HELP = `Stops a replay or a resend, of any account, as its owner would: attempts under way end, and the rest is skipped.

Usage: npm run admin -- run stop RUN_ID

  RUN_ID   Id of the run; "run list" shows those in progress

Waits up to ${OPERATOR_STOP_WAIT_MS / 1_000} seconds for the end of the run, and prints {"runId", "accountId", "sessionId", "state"}. If no service
runs, the run is marked as stopping, and the next start ends it without further deliveries. Live runs cannot be
stopped: they end with their session.

Example: npm run admin -- run stop run_01k9xw2v7qfdc8m3n5t0r6ybha`;

export const runStop: Command = {
  words: 'run stop',
  summary: 'Stop a replay or a resend',
  help: HELP,

  async run(args, terminal) {
    const [runId] = readArguments(args, {}, ['RUN_ID']).positionals as [string];
    if (!isId('run', runId))
      throw new UsageError(`RUN_ID: ${quoted(runId)} is not the id of a run; "run list" shows those in progress`);
    const { run, isServed } = await withService(terminal, 'used', (parts) => stop(parts, runId, terminal));
    if (!isServed) terminal.say('The service is not running: its next start ends this run without further deliveries.');
    const { accountId, sessionId, state } = run;
    terminal.print(JSON.stringify({ runId, accountId, sessionId, state }));
  },
};

/** Resolves once the run has ended, or with `isServed` false if no service runs that could end it. */
async function stop(
  { sql, signal }: ServiceParts,
  runId: string,
  terminal: Terminal,
): Promise<{ readonly run: OperatedRun; readonly isServed: boolean }> {
  const store = postgresOperatorRunStore(sql);
  const find = async (): Promise<OperatedRun> => {
    const run = await store.find(runId);
    if (run === null) throw new RunRefused(`there is no run ${runId}: "run list" shows those in progress`);
    return run;
  };
  for (let waitedMs = 0; waitedMs <= OPERATOR_STOP_WAIT_MS; waitedMs += OPERATOR_STOP_POLL_MS) {
    const run = await find();
    if (hasEnded(run)) return { run, isServed: true };
    if (run.mode === 'live')
      throw new RunRefused(`${runId} is the live delivery of ${run.sessionId}: it ends with that session`);
    await store.requestStop(runId);
    if (!(await isServiceRunning(sql))) return { run: await find(), isServed: false };
    terminal.progress(`waiting for the end of ${runId}`);
    await systemClock.sleep(OPERATOR_STOP_POLL_MS, signal);
  }
  throw new RunRefused(
    `${runId} has not ended after ${OPERATOR_STOP_WAIT_MS / 1_000} s and is still stopping: look for the database or the disk in the log of the service, and at "run list"`,
  );
}

function hasEnded({ state }: OperatedRun): boolean {
  return state === 'stopped' || state === 'completed';
}
