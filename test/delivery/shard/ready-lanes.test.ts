import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadyLanes, TURNS_FOR_ONE_BEHIND } from '#engine/delivery/shard/ready-lanes.ts';

interface Named {
  readonly name: string;
  readonly behind: boolean;
  queued: boolean;
}

const named = (name: string, behind: boolean): Named => ({ name, behind, queued: false });

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
  assert.equal(lanes.length, 11);
  assert.equal(taken(lanes), 'abcxdefyghz');
});

test('actors that are put first come first in their own lane', () => {
  const lanes = new ReadyLanes<Named>();
  lanes.add(named('a', false));
  lanes.add(named('x', true));
  lanes.addFirst([named('y', true), named('b', false), named('z', true)]);
  assert.equal(taken(lanes), 'bayzx');
});
