// The terminal of this process, for its commands.

import type { Terminal } from './admin/command.ts';

let lineOpen = false;

function endLine(): void {
  if (lineOpen) process.stderr.write('\r\x1b[K');
  lineOpen = false;
}

export const TERMINAL: Terminal = {
  env: process.env,
  interactive: process.stdout.isTTY === true,
  print(line) {
    endLine();
    process.stdout.write(`${line}\n`);
  },
  say(line) {
    endLine();
    process.stderr.write(`${line}\n`);
  },
  progress(line) {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r\x1b[K${line}`);
    lineOpen = true;
  },
};
