// `npm run client`: compiles the client and packs it for customers.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, UsageError } from '#workers/admin/command.ts';
import { readArguments } from '#workers/admin/command-line.ts';
import { diskFailure } from '#workers/admin/disk-failure.ts';
import { makeFolder } from '#workers/data-dir.ts';
import { packClient } from './client-package.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const HELP = `Makes the package of the TypeScript client, slipstream-client, for customers to install: plain JavaScript for Node 18 and
newer with its types. It needs no other package. docs/client.md is its README.

Usage: npm run client -- [FOLDER]

  FOLDER   Where to put slipstream-client-VERSION.tgz (dist, in the checkout). An earlier one is replaced

Prints {"file", "version", "files", "bytes"}. Customers install the file: npm install ./slipstream-client-VERSION.tgz

Exit codes: 0 done, 1 failed, 2 the command line is invalid.

Examples:
  npm run client
  npm run client -- /srv/downloads`;

export const clientCommand: Command = {
  words: 'client',
  summary: 'Make the package of the TypeScript client',
  help: HELP,

  async run(args, terminal) {
    const given = args.length === 0 ? [`${ROOT}dist`] : readArguments(args, {}, ['FOLDER']).positionals;
    if (given[0] === '') throw new UsageError('FOLDER is empty');
    const folder = resolve(given[0]!);
    await makeFolder(folder).catch((error) => {
      throw diskFailure(error, folder);
    });
    terminal.print(JSON.stringify(await packClient(ROOT, folder)));
  },
};
