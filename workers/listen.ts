// `npm run listen`: brings updates to a program on this machine.

import { runCommand } from './admin/run-command.ts';
import { listenCommand } from './listen/listen-command.ts';
import { TERMINAL } from './terminal.ts';

const TYPED = 'npm run listen --';

process.exitCode = await runCommand(listenCommand(TYPED), process.argv.slice(2), TERMINAL, TYPED);
