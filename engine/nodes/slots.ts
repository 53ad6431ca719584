// Slots: what a cluster deals out to its nodes. An account, or an address that requests are counted by, belongs to the
// same slot for ever; every slot has one node as its home.

import { createHash } from 'node:crypto';
import { NODE_SLOTS_MAX } from '#engine/base/limits.ts';

/** The node that owns each slot, by slot; 0: none. */
export type Owners = readonly number[];

/** The slot of an account id or of an address, the same on every machine and in every release. */
export function slotOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0) % NODE_SLOTS_MAX;
}

/**
 * Deals the slots of `from` out to the nodes that remain, the poorest first. No other slot moves. Without nodes, they
 * have no owner.
 */
export function dealtOut(owners: Owners, from: number, nodes: readonly number[]): number[] {
  const counts = countsOf(owners, nodes);
  return owners.map((owner) => {
    if (owner !== from) return owner;
    const poorest = extreme(counts, (a, b) => a < b);
    if (poorest === null) return 0;
    counts.set(poorest, counts.get(poorest)! + 1);
    return poorest;
  });
}

/** What the node should give to whom, so that no node has two slots more than another: the slots, by receiving node. */
export function surplus(owners: Owners, node: number, nodes: readonly number[]): Map<number, number[]> {
  const counts = countsOf(owners, nodes);
  const given = new Map<number, number[]>();
  const mine = owners.flatMap((owner, slot) => (owner === node ? [slot] : []));
  for (;;) {
    const richest = extreme(counts, (a, b) => a > b);
    const poorest = extreme(counts, (a, b) => a < b);
    if (richest === null || poorest === null || counts.get(richest)! - counts.get(poorest)! < 2) return given;
    counts.set(richest, counts.get(richest)! - 1);
    counts.set(poorest, counts.get(poorest)! + 1);
    if (richest !== node) continue;
    const slots = given.get(poorest) ?? [];
    slots.push(mine.pop()!);
    given.set(poorest, slots);
  }
}

function countsOf(owners: Owners, nodes: readonly number[]): Map<number, number> {
  const counts = new Map([...nodes].sort((a, b) => a - b).map((node) => [node, 0]));
  for (const owner of owners) {
    const count = counts.get(owner);
    if (count !== undefined) counts.set(owner, count + 1);
  }
  return counts;
}

/** The first node with the extreme count, so that every node comes to the same result. */
function extreme(counts: ReadonlyMap<number, number>, isMore: (a: number, b: number) => boolean): number | null {
  let found: number | null = null;
  for (const [node, count] of counts) if (found === null || isMore(count, counts.get(found)!)) found = node;
  return found;
}
