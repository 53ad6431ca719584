// Real answers to the requests of the notes. test/contract/examples.test.ts records them from a service that was
// prepared as the quickstart does it, and fails when answers have other fields today.

import { readFileSync } from 'node:fs';

interface Recorded {
  readonly status: number;
  readonly body: unknown;
}

const RECORDED = JSON.parse(readFileSync(new URL('answer-examples.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Recorded>
>;

/** The recorded answer to an operation; undefined if it had another status or no answer was recorded. */
export function answerExample(operation: string, status: number): unknown {
  const recorded = RECORDED[operation];
  return recorded?.status === status ? recorded.body : undefined;
}
