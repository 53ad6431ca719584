// Operations with known costs: they show that time and bytes are measured correctly, and what the loop itself costs.

import { kept, type Operation } from './operation.ts';

const TIMES = 65_536;

/** The size of an object with one field: map, properties, elements and the field, eight bytes each. */
const OBJECT_BYTES = 32;

export function prepare(): readonly Operation[] {
  return [
    { name: 'nothing but the loop', times: TIMES, answer: (TIMES * (TIMES - 1)) / 2, bytes: 0, lap: added },
    { name: 'an object of one field', times: TIMES, answer: TIMES - 1, bytes: OBJECT_BYTES, lap: objects },
  ];
}

function added(): number {
  let sum = 0;
  for (let i = 0; i < TIMES; i++) sum += i;
  return sum;
}

function objects(): number {
  for (let i = 0; i < TIMES; i++) kept.value = { field: i };
  return (kept.value as { field: number }).field;
}
