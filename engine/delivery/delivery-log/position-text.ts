// Positions of a timeline as text: `0-4,9,12-20`. They rise, and neighbours share a span.

import { assert } from '#engine/base/assert.ts';

const SPAN = /^\d+(-\d+)?$/;

/** `positions` must rise. */
export function formatPositions(positions: Uint32Array): string {
  const spans: string[] = [];
  for (let at = 0; at < positions.length; ) {
    const first = positions[at]!;
    let last = first;
    while (++at < positions.length && positions[at] === last + 1) last++;
    spans.push(first === last ? String(first) : `${first}-${last}`);
  }
  return spans.join(',');
}

export function parsePositions(text: string): Uint32Array {
  const positions: number[] = [];
  for (const span of text === '' ? [] : text.split(',')) {
    const [first, last = first] = span.split('-').map(Number);
    assert(SPAN.test(span) && first! <= last!, `"${span}" is a span of positions`);
    for (let position = first!; position <= last!; position++) positions.push(position);
  }
  return Uint32Array.from(positions);
}
