// Encoding and decoding structured data: a roster of a live timeline, compared with JSON.

import { decode, encode } from '#engine/base/codec.ts';
import type { Roster } from '#engine/timeline/roster.ts';
import { demoRace } from './demo-race.ts';
import { kept, type Operation, repeated } from './operation.ts';

const TIMES = 64;

export function prepare(): readonly Operation[] {
  const roster = demoRace().timeline.info.rosters.at(-1)!;
  const bytes = encode(roster).slice();
  const text = JSON.stringify(roster);
  return [
    repeated('encode a roster', TIMES, bytes.length, () => encode(roster).length),
    repeated('encode a roster, JSON.stringify', TIMES, text.length, () => JSON.stringify(roster).length),
    repeated('decode a roster', TIMES, roster.drivers.length, () => drivers(decode(bytes))),
    repeated('decode a roster, JSON.parse', TIMES, roster.drivers.length, () => drivers(JSON.parse(text))),
  ];
}

function drivers(roster: unknown): number {
  kept.value = roster;
  return (roster as Roster).drivers.length;
}
