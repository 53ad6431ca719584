// `npm run client`: makes the package of the TypeScript client that customers install.

import { runCommand } from './admin/run-command.ts';
import { clientCommand } from './client/client-command.ts';
import { TERMINAL } from './terminal.ts';

process.exitCode = await runCommand(clientCommand, process.argv.slice(2), TERMINAL, 'npm run client --');
