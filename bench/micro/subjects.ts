// All subjects, in the order in which an update passes them. Only the measuring process loads them, on demand.

import type { Operation, Subject } from './operation.ts';

const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = {
  floor: () => import('./floor.bench.ts'),
  merge: () => import('./merge.bench.ts'),
  normalise: () => import('./normalise.bench.ts'),
  serialise: () => import('./serialise.bench.ts'),
  codec: () => import('./codec.bench.ts'),
  filter: () => import('./filter.bench.ts'),
  'ready-queue': () => import('./ready-queue.bench.ts'),
  mailbox: () => import('./mailbox.bench.ts'),
  gates: () => import('./gates.bench.ts'),
  timeline: () => import('./timeline.bench.ts'),
  sign: () => import('./sign.bench.ts'),
  'timer-wheel': () => import('./timer-wheel.bench.ts'),
  record: () => import('./record.bench.ts'),
  latency: () => import('./latency.bench.ts'),
  delivery: () => import('./delivery.bench.ts'),
  validate: () => import('./validate.bench.ts'),
};

/** Always measured, as the baseline of the others. */
export const FLOOR = 'floor';
export const SUBJECT_NAMES: readonly string[] = Object.keys(SUBJECTS);

/** The operations of a subject. */
export async function operationsOf(subject: string): Promise<readonly Operation[]> {
  const { prepare } = await SUBJECTS[subject]!();
  return prepare();
}
