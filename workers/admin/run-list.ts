// `run list`: lists the runs in progress, of all accounts.

import { stat } from 'node:fs/promises';
import type { OperatedRun } from '#api/simulate/operator-run-store.ts';
import { postgresOperatorRunStore } from '#api/simulate/postgres-operator-run-store.ts';
import { RUNS_LISTED_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { artifactFile } from '#engine/intake/playback/compiled-playback-library.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { parseOrigin } from '#engine/timeline/artifact-name.ts';
import type { Command } from './command.ts';
import { readArguments } from './command-line.ts';
import { RunRefused } from './run-refused.ts';
import { withService } from './service-database.ts';
import { textTable } from './text-table.ts';

const HELP = `Lists the runs in progress, oldest first: replays, and the live deliveries of each account.

Usage: npm run admin -- run list [--account ACCOUNT] [--json]

  --account ACCOUNT   Only those of this account: its owner's email address, or its id
  --json              Print JSON even on a terminal

artifactBytes is the size of the compiled session. Replays of the same session share it in memory.

Examples: npm run admin -- run list
          npm run admin -- run list --account ada@example.com --json`;

type ListedRun = Omit<OperatedRun, 'timelineOrigin'> & { readonly artifactBytes: number | null };

export const runList: Command = {
  words: 'run list',
  summary: 'List the runs in progress',
  help: HELP,

  async run(args, terminal) {
    const { values } = readArguments(args, { account: { type: 'string' }, json: { type: 'boolean' } });
    const account = values.account?.trim() ?? null;
    const runs = await withService(terminal, 'used', async ({ sql, config }) => {
      const store = postgresOperatorRunStore(sql);
      const found = await store.inProgress(account);
      if (account !== null && found.length === 0 && !(await store.hasAccount(account)))
        throw new RunRefused(`there is no account ${quoted(account)}: give its owner's email address, or its id`);
      return Promise.all(
        found.map(async ({ timelineOrigin, ...run }) => ({
          ...run,
          artifactBytes: await artifactBytesOf(config.dataDir, run.sessionId, timelineOrigin),
        })),
      );
    });
    if (runs.length === RUNS_LISTED_MAX) terminal.say(`Only the ${RUNS_LISTED_MAX} oldest runs are listed.`);
    if (values.json === true || !terminal.interactive) terminal.print(JSON.stringify(runs));
    else if (runs.length === 0) terminal.say('No run is in progress.');
    else terminal.print(textTable(HEAD, runs.map(row)));
  },
};

const HEAD = [
  ...['RUN', 'ACCOUNT', 'SESSION', 'MODE', 'STATE', 'SPEED', 'STARTED'],
  ...['ENDPOINTS', 'POSITION', 'UPDATES', 'MIB'],
] as const;

function row(run: ListedRun): string[] {
  return [
    run.runId,
    run.email,
    run.sessionId,
    run.mode,
    run.state,
    String(run.speed),
    run.startedAt.toISOString().slice(0, 16).replace('T', ' '),
    String(run.endpoints),
    String(run.position),
    run.mode === 'live' ? '-' : String(run.updateCount),
    run.artifactBytes === null ? '-' : (run.artifactBytes / (1_024 * 1_024)).toFixed(1),
  ];
}

/** Null for a live run, and when this machine does not have the artifact of the run. */
async function artifactBytesOf(dataDir: string, sessionId: string, timelineOrigin: string | null) {
  const session = parseSessionId(sessionId);
  const origin = timelineOrigin === null ? null : parseOrigin(timelineOrigin);
  if (session === null || origin === null) return null;
  return stat(artifactFile(dataDir, session, origin)).then(
    ({ size }) => size,
    () => null,
  );
}
