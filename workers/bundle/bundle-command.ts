// `npm run bundle`: packs this checkout, as npm has installed it, into one archive that a server needs nothing for.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { correctedDriver } from '#engine/storage/postgres-driver.ts';
import { progressOf } from '#workers/admin/backup/progress.ts';
import { type Command, UsageError } from '#workers/admin/command.ts';
import { readArguments } from '#workers/admin/command-line.ts';
import { diskFailure } from '#workers/admin/disk-failure.ts';
import { interruptibly } from '#workers/admin/interruption.ts';
import { makeFolder } from '#workers/data-dir.ts';
import { bundleContents } from './bundle-contents.ts';
import { ownPlatform } from './platform.ts';
import { writeBundle } from './write-bundle.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MEBIBYTE = 1024 * 1024;
/** Of compression. The highest takes three times as long and saves one part in a hundred. */
const LEVEL = 6;

const HELP = `Packs this version into one archive for servers: code, packages, Node and PostgreSQL. A server needs a shell and tar to
install it, but no npm and no network. The archive is for machines like this one, and the same files give the same archive.

Usage: npm run bundle -- [FOLDER]

  FOLDER   Where to put slipstream-VERSION-PLATFORM.tar.gz (dist, in the checkout). An earlier one is replaced

Prints {"file", "version", "files", "bytes", "sha256"}. The archive appears when it is complete; one that fails or is
interrupted leaves nothing. docs/operating.md says how to install it and how to upgrade with it.

Exit codes: 0 done, 1 failed, 2 the command line is invalid, 130 or 143 interrupted.

Examples:
  npm run bundle
  npm run bundle -- /srv/releases`;

export const bundleCommand: Command = {
  words: 'bundle',
  summary: 'Pack this version into one archive for servers',
  help: HELP,

  async run(args, terminal) {
    const folder = readFolder(args);
    correctedDriver();
    await requireWritable(folder);
    const contents = await bundleContents(ROOT, ownPlatform());
    const files = contents.entries.filter(({ kind }) => kind === 'file').length;
    terminal.say(`packing ${files} files, ${Math.round(contents.bytes / MEBIBYTE)} MiB, as ${contents.name}.tar.gz`);
    const progress = progressOf(terminal);
    const written = await interruptibly((signal) =>
      writeBundle(contents, folder, { level: LEVEL, signal, progress }),
    ).catch((error) => {
      throw diskFailure(error, folder);
    });
    const { file, bytes, sha256 } = written;
    terminal.print(JSON.stringify({ file, version: contents.version, files, bytes, sha256 }));
  },
};

function readFolder(args: readonly string[]): string {
  const given = args.length === 0 ? [`${ROOT}dist`] : readArguments(args, {}, ['FOLDER']).positionals;
  if (given[0] === '') throw new UsageError('FOLDER is empty');
  return resolve(given[0]!);
}

async function requireWritable(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw diskFailure(error, folder);
  }
}
