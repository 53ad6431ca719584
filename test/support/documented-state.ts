// The program of docs/receiving.md that keeps a state, as a reader would copy it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocks, read } from '#test/docs/documents.ts';

export type State = Readonly<Record<string, unknown>>;

interface Program {
  readonly stateAfter: (state: State | undefined, update: unknown) => State | undefined;
}

const { stateAfter } = await documentedProgram();

async function documentedProgram(): Promise<Program> {
  const programs = blocks(read('docs/receiving.md')).filter(({ mark }) => mark === 'state');
  assert.deepEqual(
    programs.map(({ language }) => language),
    ['js'],
  );
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  try {
    const file = join(folder, 'state.mjs');
    writeFileSync(file, programs[0]!.text);
    return (await import(file)) as Program;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Applies updates to the states, by feed, as a receiver does. */
export function receive(states: Map<string, State>, updates: readonly { readonly feed: string }[]): Map<string, State> {
  for (const update of updates) {
    const state = stateAfter(states.get(update.feed), update);
    if (state !== undefined) states.set(update.feed, state);
  }
  return states;
}

export function byFeed(states: readonly State[]): Map<string, State> {
  return new Map(states.map((state) => [state.feed as string, state]));
}

/** The states in a form that can be compared: the order of list items means nothing. */
export function unordered(states: ReadonlyMap<string, State>): unknown {
  return unorderedValue(Object.fromEntries(states));
}

function unorderedValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(unorderedValue).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, part]) => [name, unorderedValue(part)])
      .toSorted(),
  );
}
