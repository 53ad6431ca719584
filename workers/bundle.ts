// `npm run bundle`: makes the archive that servers install.

import { runCommand } from './admin/run-command.ts';
import { bundleCommand } from './bundle/bundle-command.ts';
import { TERMINAL } from './terminal.ts';

process.exitCode = await runCommand(bundleCommand, process.argv.slice(2), TERMINAL, 'npm run bundle --');
