// The homes of a cluster as this node knows them: what the database said at the last renewal of its lease
// (engine/nodes/member.ts).
//
// CH1 A node is home only while its lease holds. Otherwise another one may be home already.
// CH2 A slot that this node gives away is nobody's home from the moment on in which it begins to, until the database has it
//     or the handover is given up.
// CH3 What the database said comes late: of two owners of a slot, the one with the higher epoch counts.

import { HERE, type Home, type Homes, type PeerNode } from '#api/http/homes.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { Lease } from '#engine/base/lease.ts';
import { NODE_SLOTS_MAX } from '#engine/base/limits.ts';
import type { NodeRecord, Standing } from '#engine/nodes/membership.ts';
import { type Owners, slotOf } from '#engine/nodes/slots.ts';

const NONE: Home = { kind: 'none' };

export interface ClusterHomesParts {
  readonly nodeNo: number;
  readonly lease: Lease;
  readonly clock: Clock;
}

export class ClusterHomes implements Homes {
  readonly #parts: ClusterHomesParts;
  #owners: number[] = [];
  readonly #epochs: number[] = [];
  #peers = new Map<number, Home & { readonly kind: 'peer' }>();
  #nodes: readonly NodeRecord[] = [];
  readonly #leaving = new Set<number>();
  /** Requests under way here, by slot. */
  readonly #requests = new Uint32Array(NODE_SLOTS_MAX);

  constructor(parts: ClusterHomesParts) {
    this.#parts = parts;
  }

  homeOf(key: string): Home {
    const slot = slotOf(key);
    const owner = this.#owners[slot] ?? 0;
    if (owner !== this.#parts.nodeNo) return this.#peers.get(owner) ?? NONE;
    if (this.#leaving.has(slot)) return NONE;
    return this.#parts.lease.holdsAt(this.#parts.clock.nowMs()) ? HERE : NONE;
  }

  begun(key: string): void {
    this.#requests[slotOf(key)]!++;
  }

  ended(key: string): void {
    this.#requests[slotOf(key)]!--;
  }

  /** Whether this node owns the account and keeps it, whether or not its lease holds. */
  owns(accountId: string): boolean {
    const slot = slotOf(accountId);
    return this.#owners[slot] === this.#parts.nodeNo && !this.#leaving.has(slot);
  }

  /** Whether this node does what one node does for all: it owns the first slot. */
  get keepsHouse(): boolean {
    return this.#owners[0] === this.#parts.nodeNo && this.#parts.lease.holdsAt(this.#parts.clock.nowMs());
  }

  get owners(): Owners {
    return this.#owners;
  }

  get nodes(): readonly NodeRecord[] {
    return this.#nodes;
  }

  get peers(): PeerNode[] {
    return [...this.#peers.values()].map(({ node }) => node);
  }

  /** Requests of the slots that are under way here. */
  underWay(slots: readonly number[]): number {
    return slots.reduce((sum, slot) => sum + this.#requests[slot]!, 0);
  }

  /** CH2. The returned function ends it, whether or not they were given away. */
  leave(slots: readonly number[]): () => void {
    for (const slot of slots) this.#leaving.add(slot);
    return () => {
      for (const slot of slots) this.#leaving.delete(slot);
    };
  }

  /** The database has given these slots to another node (CH3). */
  given(slots: readonly number[], to: number): void {
    for (const slot of slots) {
      this.#owners[slot] = to;
      this.#epochs[slot]!++;
    }
  }

  /** Takes over what the database says. Returns the slots that are new here. */
  update({ nodes, owners, epochs }: Standing): number[] {
    const gained: number[] = [];
    for (const [slot, owner] of owners.entries()) {
      const epoch = epochs[slot]!;
      if (epoch < (this.#epochs[slot] ?? 0)) continue;
      if (owner === this.#parts.nodeNo && this.#owners[slot] !== owner) gained.push(slot);
      this.#owners[slot] = owner;
      this.#epochs[slot] = epoch;
    }
    this.#nodes = nodes;
    this.#peers = new Map(
      nodes
        .filter(({ nodeNo }) => nodeNo !== this.#parts.nodeNo)
        .map(({ nodeNo, address }) => [nodeNo, { kind: 'peer', node: { nodeNo, address } }]),
    );
    return gained;
  }
}
