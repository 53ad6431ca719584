// What a check of the doctor has found: one line, and for anything but good news the next step.

import { DOCTOR_CHECK_MS } from '#engine/base/limits.ts';
import { errorText } from '#engine/storage/storage-error.ts';

/** `unknown`: the check cannot be made here, which is neither good nor bad. */
export type Level = 'ok' | 'warning' | 'problem' | 'unknown';

export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly text: string;
  /** What to do; empty for what is good. */
  readonly next: string;
}

/** Findings of one check; the name of the check is added by whoever runs it. */
export type Found = Omit<Finding, 'check'>;

export interface Check {
  readonly name: string;
  run(): Promise<readonly Found[]>;
}

export const ok = (text: string): Found => ({ level: 'ok', text, next: '' });
export const warning = (text: string, next: string): Found => ({ level: 'warning', text, next });
export const problem = (text: string, next: string): Found => ({ level: 'problem', text, next });
export const unknown = (text: string, next = ''): Found => ({ level: 'unknown', text, next });

/** Runs a check for a bounded time. One that fails says so; it never keeps the others from being made. */
export async function runCheck({ name, run }: Check, withinMs = DOCTOR_CHECK_MS): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Found[]>((resolve) => {
    timer = setTimeout(resolve, withinMs, [
      problem(
        `no answer within ${withinMs / 1_000} s`,
        'Something it looks at hangs: a disk, a name server or the database.',
      ),
    ]);
  });
  const found = await Promise.race([
    run().catch((error) => [problem(errorText(error), 'See the message; the check could not be made.')]),
    late,
  ]).finally(() => clearTimeout(timer));
  return found.map((finding) => ({ check: name, ...finding }));
}
