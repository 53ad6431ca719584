// Membership in memory, by the clock of a simulation.

import type { Clock } from '#engine/base/clock.ts';
import { NODE_LEASE_MS, NODE_SLOTS_MAX, NODES_MAX } from '#engine/base/limits.ts';
import {
  AddressTaken,
  type Membership,
  type NodeFacts,
  type NodeRecord,
  type Standing,
} from '#engine/nodes/membership.ts';
import { dealtOut } from '#engine/nodes/slots.ts';
import { StorageError } from '#engine/storage/storage-error.ts';

interface Row extends NodeFacts {
  readonly nodeNo: number;
  readonly joinedAt: Date;
  leaseUntilMs: number;
}

export class MemoryMembership implements Membership {
  readonly #clock: Clock;
  readonly #rows = new Map<number, Row>();
  #owners = Array.from({ length: NODE_SLOTS_MAX }, () => 0);
  readonly #epochs = Array.from({ length: NODE_SLOTS_MAX }, () => 0);
  #lastNo = 0;
  /** Nodes whose writers are fenced off, by node id. */
  readonly superseded: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async join(facts: NodeFacts): Promise<number> {
    if (this.#rows.size >= NODES_MAX) throw new StorageError(`CLUSTER: it has ${NODES_MAX} nodes already.`);
    for (const row of this.#rows.values())
      if (row.address === facts.address && !this.#isExpired(row)) throw new AddressTaken(row.address);
    const nodeNo = ++this.#lastNo;
    const isFirst = this.#rows.size === 0;
    this.#rows.set(nodeNo, {
      ...facts,
      nodeNo,
      joinedAt: new Date(this.#clock.wallMs()),
      leaseUntilMs: this.#leaseMs(),
    });
    if (isFirst) this.#setOwners(this.#owners.map(() => nodeNo));
    return nodeNo;
  }

  async renew(nodeNo: number): Promise<Standing | null> {
    const row = this.#rows.get(nodeNo);
    if (row === undefined) return null;
    row.leaseUntilMs = this.#leaseMs();
    return this.standing();
  }

  async takeOver(nodeNo: number, by: number): Promise<boolean> {
    const taken = this.#rows.get(nodeNo);
    const taker = this.#rows.get(by);
    if (taken === undefined || taker === undefined || !this.#isExpired(taken) || this.#isExpired(taker)) return false;
    this.#remove(taken);
    return true;
  }

  async give(slots: readonly number[], from: number, to: number): Promise<boolean> {
    const taker = this.#rows.get(to);
    if (taker === undefined || this.#isExpired(taker)) return false;
    if (slots.some((slot) => this.#owners[slot] !== from)) return false;
    this.#setOwners(this.#owners.map((owner, slot) => (slots.includes(slot) ? to : owner)));
    return true;
  }

  async owns(nodeNo: number, slots: readonly number[]): Promise<boolean> {
    return slots.every((slot) => this.#owners[slot] === nodeNo);
  }

  async leave(nodeNo: number): Promise<void> {
    const row = this.#rows.get(nodeNo);
    if (row !== undefined) this.#remove(row);
  }

  standing(): Standing {
    const nodes = [...this.#rows.values()].map(
      ({ leaseUntilMs, ...row }): NodeRecord => ({
        ...row,
        clockAheadMs: 0,
        leaseLeftMs: leaseUntilMs - this.#clock.nowMs(),
        expired: leaseUntilMs < this.#clock.nowMs(),
      }),
    );
    return { nodes, owners: [...this.#owners], epochs: [...this.#epochs] };
  }

  expire(nodeNo: number): void {
    this.#rows.get(nodeNo)!.leaseUntilMs = this.#clock.nowMs() - 1;
  }

  #leaseMs(): number {
    return this.#clock.nowMs() + NODE_LEASE_MS;
  }

  #isExpired(row: Row): boolean {
    return row.leaseUntilMs < this.#clock.nowMs();
  }

  #remove(row: Row): void {
    this.#rows.delete(row.nodeNo);
    this.superseded.push(row.nodeId);
    const live = [...this.#rows.values()].filter((other) => !this.#isExpired(other)).map(({ nodeNo }) => nodeNo);
    this.#setOwners(dealtOut(this.#owners, row.nodeNo, live));
  }

  #setOwners(owners: readonly number[]): void {
    for (const [slot, owner] of owners.entries()) if (owner !== this.#owners[slot]) this.#epochs[slot]!++;
    this.#owners = [...owners];
  }
}
