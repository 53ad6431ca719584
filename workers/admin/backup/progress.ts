// Shows the progress of a long command, at most five times a second.

import type { Terminal } from '../command.ts';

const EVERY_MS = 200;

export function progressOf(terminal: Pick<Terminal, 'progress'>): (line: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (line) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < EVERY_MS) return;
    lastMs = nowMs;
    terminal.progress(line);
  };
}
