import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountShare, type TurnTaker } from '#engine/delivery/turns/account-share.ts';
import { ReadyLanes, TURNS_FOR_ONE_BEHIND } from '#engine/delivery/turns/ready-lanes.ts';

interface Named extends TurnTaker<Named> {
  readonly name: string;
}

const own = new AccountShare<Named>('acc_own');

function named(name: string, behind: boolean, share = own): Named {
  return { name, behind, share, queued: false, next: null };
}

function taken(lanes: ReadyLanes<Named>): string {
  let names = '';
  for (let actor = lanes.take(); actor !== null; actor = lanes.take()) names += actor.name;
  return names;
}

test('S7: actors that keep up come first, and one turn in so many goes to one that is behind', () => {
  const lanes = new ReadyLanes<Named>();
  for (const name of 'xyz') lanes.add(named(name, true));
  for (const name of 'abcdefgh') lanes.add(named(name, false));
  assert.equal(TURNS_FOR_ONE_BEHIND, 4);
  assert.equal(taken(lanes), 'abcxdefyghz');
  assert.ok(lanes.isEmpty);
});

test('actors that are put first come first in their own lane, in the order in which they were', () => {
  const lanes = new ReadyLanes<Named>();
  const late = named('c', false);
  for (const actor of [named('a', false), late, named('x', true)]) lanes.add(actor);
  for (const actor of [named('y', true), named('b', false), late, named('z', true), named('d', false)])
    lanes.addFirst(actor);
  assert.equal(taken(lanes), 'bdayczx');
  lanes.addFirst(late);
  lanes.add(named('e', false));
  assert.equal(taken(lanes), 'ce', 'also in a lane that was empty');
});

test('an actor waits once, however often it is added', () => {
  const lanes = new ReadyLanes<Named>();
  const [a, b] = [named('a', false), named('b', false)];
  for (const actor of [a, b, a, a, b]) lanes.add(actor);
  lanes.addFirst(b);
  assert.equal(taken(lanes), 'ab');
  lanes.add(b);
  assert.equal(taken(lanes), 'b');
});

test('S8: accounts take one turn each, and the actors of one take its turns in their order', () => {
  const lanes = new ReadyLanes<Named>();
  const [large, small, tiny] = ['large', 'small', 'tiny'].map((name) => new AccountShare<Named>(name));
  for (const name of 'abcdef') lanes.add(named(name, false, large));
  for (const name of '12') lanes.add(named(name, false, small));
  lanes.add(named('!', false, tiny));
  assert.equal(taken(lanes), 'a1!b2cdef');
});

test('S8: so it is among those that are behind', () => {
  const lanes = new ReadyLanes<Named>();
  const [large, small] = ['large', 'small'].map((name) => new AccountShare<Named>(name));
  for (const name of 'abcd') lanes.add(named(name, true, large));
  for (const name of '12') lanes.add(named(name, true, small));
  assert.equal(taken(lanes), 'a1b2cd');
});

test('S6: an account is crowded from the end of a slice that left some of its actors to that of one that left none', () => {
  const lanes = new ReadyLanes<Named>();
  const other = new AccountShare<Named>('other');
  const actors = [...'abc'].map((name) => named(name, false));
  for (const actor of actors) lanes.add(actor);
  lanes.add(named('1', false, other));
  const crowded = (): boolean[] => [own, other].map((share) => lanes.crowded(share));
  const slice = (turns: number): string => {
    let names = '';
    for (let turn = 0; turn < turns; turn++) names += lanes.take()!.name;
    return names;
  };
  assert.deepEqual(crowded(), [false, false], 'how many wait is not known in the first slice');
  assert.equal(slice(2), 'a1');
  lanes.sliceEnded();
  assert.deepEqual(crowded(), [true, false]);
  assert.equal(slice(2), 'bc');
  assert.deepEqual(crowded(), [true, false], 'until the slice ends');
  lanes.add(actors[0]!);
  assert.deepEqual(crowded(), [true, false]);
  assert.equal(slice(1), 'a');
  lanes.sliceEnded();
  assert.deepEqual(crowded(), [false, false]);
  lanes.add(actors[0]!);
  assert.deepEqual(crowded(), [false, false]);
});
