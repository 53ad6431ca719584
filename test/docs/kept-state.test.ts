// The program of docs/receiving.md that keeps a state, against the states that the service answers: the two know nothing of
// each other but the document's rules.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { FEED_STATES, type KeptFields } from '#schemas/webhook/feed-states.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { GOLDEN_SESSIONS, GoldenSession } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf, recorded } from '#test/racing/real-sessions.ts';
import { byFeed, receive, type State, unordered } from '#test/support/documented-state.ts';
import { read } from './documents.ts';

const ALL = FEEDS.map(({ feedId }) => feedId);
/** Where a session is cut, as parts of its length. */
const CUTS = [0.03, 0.5, 0.97, 1];
const SESSIONS = [
  ...GOLDEN_SESSIONS,
  new GoldenSession(DEMO_SESSION_ID, 'f1', demoSessionFrames),
  ...recorded('2018-azerbaijan-race', '2025-australia-race', '2026-austria-qualifying'),
];

for (const session of SESSIONS) {
  test(`${session.sessionId}: a receiver that follows the document has the service's states, wherever it joins`, () => {
    const { timeline } = session;
    const updates = payloadsOf(timeline);
    const states = new FoldedStates();
    const ends = CUTS.map((cut) => Math.round(cut * timeline.length));
    const answers = ends.map((end) => byFeed(states.at('one', timeline, end, ALL)!.map((text) => JSON.parse(text))));
    const fromTheStart = new Map<string, State>();
    for (const [index, end] of ends.entries()) {
      receive(fromTheStart, updates.slice(ends[index - 1] ?? 0, end));
      assert.deepEqual(unordered(fromTheStart), unordered(answers[index]!), `after ${end} updates`);
    }
    for (const [index, end] of ends.entries()) {
      const late = receive(new Map(answers[index]!), updates.slice(end));
      assert.deepEqual(unordered(late), unordered(answers.at(-1)!), `joined after ${end} updates`);
    }
  });
}

test('the table of the document has every list of which updates have the changed items', () => {
  const lists = new Map<string, string>();
  const walk = (fields: KeptFields): void => {
    for (const [name, field] of Object.entries(fields)) {
      if (field.kind === 'list' && field.owner === null) lists.set(name, field.key);
      if (field.kind !== 'passing' && field.fields !== null) walk(field.fields);
    }
  };
  for (const rule of Object.values(FEED_STATES)) if (rule.kind === 'changes') walk(rule.fields);
  const document = read('docs/receiving.md');
  const table = document.slice(document.indexOf('| list '), document.indexOf('The same as a program.'));
  const named = Array.from(table.matchAll(/^\| (`.+?) +\| `(\w+)` +\|$/gm)).flatMap(([, names, key]) =>
    Array.from(names!.matchAll(/`(\w+)`/g), ([, name]) => [name!, key!] as const),
  );
  assert.deepEqual(new Map(named.toSorted()), new Map([...lists].toSorted()));
});
