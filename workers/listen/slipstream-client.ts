#!/usr/bin/env node
// The program of the package slipstream-client: `npx slipstream-client listen`.

import { runCommand } from '#workers/admin/run-command.ts';
import { TERMINAL } from '#workers/terminal.ts';
import { listenCommand } from './listen-command.ts';

const TYPED = 'npx slipstream-client listen';
const [name, ...args] = process.argv.slice(2);

if (name === 'listen') {
  process.exitCode = await runCommand(listenCommand(TYPED), args, TERMINAL, TYPED);
} else {
  const isHelp = name === '--help' || name === '-h';
  TERMINAL[isHelp ? 'print' : 'say'](
    `Usage: ${TYPED} (--forward-to URL | --print) [options]\nFor help: ${TYPED} --help`,
  );
  process.exitCode = isHelp ? 0 : 2;
}
