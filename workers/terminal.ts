// The terminal of this process, for its commands.

import type { Terminal } from './admin/command.ts';
import { surviveLostOutput } from './lost-output.ts';
import { typed } from './typed.ts';

surviveLostOutput();

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
    process.stdout.write(`${typed(line)}\n`);
  },
  say(line) {
    endLine();
    process.stderr.write(`${typed(line)}\n`);
  },
  progress(line) {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r\x1b[K${line}`);
    lineOpen = true;
  },
};
