// A finding of the doctor: one line and, unless all is well, the next step.

import { DOCTOR_CHECK_MS } from '#engine/base/limits.ts';
import { errorText } from '#engine/storage/storage-error.ts';

/** `unknown`: the check cannot be made here, which is neither good nor bad. */
export type Level = 'ok' | 'warning' | 'problem' | 'unknown';

export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly text: string;
  /** What to do; empty when there is nothing to do. */
  readonly next: string;
}

/** A finding without the name of its check, which `runCheck` adds. */
export type Found = Omit<Finding, 'check'>;

export interface Check {
  readonly name: string;
  run(): Promise<readonly Found[]>;
}

export const ok = (text: string): Found => ({ level: 'ok', text, next: '' });
export const warning = (text: string, next: string): Found => ({ level: 'warning', text, next });
export const problem = (text: string, next: string): Found => ({ level: 'problem', text, next });
export const unknown = (text: string, next = ''): Found => ({ level: 'unknown', text, next });

/** Runs a check for a bounded time. A check that fails or hangs becomes a problem and never blocks the others. */
export async function runCheck({ name, run }: Check, withinMs = DOCTOR_CHECK_MS): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Found[]>((resolve) => {
    timer = setTimeout(resolve, withinMs, [
      problem(`no result within ${withinMs / 1_000} s`, 'A disk, a name server or the database hangs.'),
    ]);
  });
  const found = await Promise.race([
    run().catch((error) => [problem(errorText(error), 'The check itself failed; see the message.')]),
    late,
  ]).finally(() => clearTimeout(timer));
  return found.map((finding) => ({ check: name, ...finding }));
}
