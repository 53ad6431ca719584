// `import history`: imports the past seasons that the models learn from, and the entries and weekends of the coming
// one.

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SourceError } from '#engine/base/source-error.ts';
import { isAddress } from '#engine/intake/source/archive-download/archive-address.ts';
import { HISTORY_SEASON_MIN, readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { HISTORY_ATTRIBUTION, type History } from '#engine/seasons/history/history.ts';
import { historyDigest } from '#engine/seasons/history/history-digest.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import { downloadRelease, releaseAddressProblem } from '#engine/seasons/history/release-download.ts';
import { unpackRelease } from '#engine/seasons/history/yauzl-release-zip.ts';
import { readConfig } from '#workers/config.ts';
import { makeDataDir } from '#workers/data-dir.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readArguments, shownAddress } from './command-line.ts';
import { interruptibly } from './interruption.ts';
import { withService } from './service-database.ts';

const MEBIBYTE = 1024 * 1024;

const HELP = `Replaces the history of the sport: results, grids, pit stops and standings of the seasons from ${HISTORY_SEASON_MIN} on, and
entries and weekends of the coming season. It replaces all of it or changes nothing. Predictions learn from the history, and
scores of long past races come from it.

Usage: npm run admin -- import history FOLDER|ZIP|URL

  FOLDER         The unpacked CSV release of f1db (f1db-races.csv and the others)
  ZIP            f1db-csv.zip, as it is released
  URL            The http or https address of such a zip; redirects are followed

The command checks everything before it changes anything. Importing the same history again changes nothing. A running service
uses the new history without a restart.

Prints {"seasons", "races", "results", "drivers", "attribution"}: the first and the last season, races including coming ones,
results of grands prix and sprints. If you show the data, name its source: ${HISTORY_ATTRIBUTION}.

Examples:
  npm run admin -- import history ./f1db
  npm run admin -- import history ./f1db-csv.zip
  npm run admin -- import history https://github.com/f1db/f1db/releases/latest/download/f1db-csv.zip`;

export const importHistoryCommand: Command = {
  words: 'import history',
  summary: 'Replace past seasons, for predictions and scores',
  help: HELP,

  async run(args, terminal) {
    const { positionals } = readArguments(args, {}, ['FOLDER, ZIP or URL']);
    const source = positionals[0]!;
    if (source === '') throw new UsageError('FOLDER, ZIP or URL is empty');
    const history = await readHistory(source, terminal);
    const digest = historyDigest(history);
    const changed = await withService(terminal, 'made', async ({ sql }) => {
      const store = new PostgresHistoryStore(sql);
      if ((await store.digest()) === digest) return false;
      await store.replace(history, digest);
      return true;
    });
    if (!changed) terminal.say('this history is imported already: nothing was changed');
    terminal.say(HISTORY_ATTRIBUTION);
    const { weekends, drivers } = history;
    terminal.print(
      JSON.stringify({
        seasons: [weekends[0]!.season, weekends.at(-1)!.season],
        races: weekends.length,
        results: weekends.reduce((sum, { results, sprintResults }) => sum + results.length + sprintResults.length, 0),
        drivers: drivers.size,
        attribution: HISTORY_ATTRIBUTION,
      }),
    );
  },
};

async function readHistory(source: string, terminal: Terminal): Promise<History> {
  if (isAddress(source)) {
    const problem = releaseAddressProblem(source);
    if (problem !== null) throw new UsageError(`${shownAddress(source)}: ${problem}`);
    return inTemporaryFolder(terminal, async (folder, signal) => {
      const zip = join(folder, 'f1db-csv.zip');
      await download(source, zip, terminal, signal);
      return readZip(zip, folder, signal);
    });
  }
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new SourceError(source, 'there is nothing at this path', 'Check the spelling');
  if (found.isDirectory()) return readF1dbRelease(source);
  if (!found.isFile()) throw new SourceError(source, 'this is neither a folder nor a file', 'Give the path of one');
  return inTemporaryFolder(terminal, (folder, signal) => readZip(source, folder, signal));
}

async function readZip(zip: string, folder: string, signal: AbortSignal): Promise<History> {
  const tables = join(folder, 'tables');
  mkdirSync(tables);
  await unpackRelease(zip, tables, signal);
  return readF1dbRelease(tables);
}

async function download(url: string, target: string, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const { UndiciArchiveClient } = await import('#engine/intake/source/archive-download/undici-archive-client.ts');
  const client = new UndiciArchiveClient();
  try {
    await downloadRelease(url, target, {
      client,
      signal,
      onProgress: (bytes) => terminal.progress(`downloading ${url}: ${(bytes / MEBIBYTE).toFixed(1)} MiB`),
    });
  } finally {
    await client.close();
  }
}

/**
 * Runs `use` with a folder below DATA_DIR/downloads and removes it afterwards, also when the command is interrupted.
 */
async function inTemporaryFolder<Result>(
  terminal: Terminal,
  use: (folder: string, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { dataDir } = readConfig(terminal.env);
  await makeDataDir(dataDir);
  const downloads = join(dataDir, 'downloads');
  mkdirSync(downloads, { recursive: true });
  const folder = mkdtempSync(join(downloads, 'history-'));
  try {
    return await interruptibly((signal) => use(folder, signal));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
