// Who belongs to the cluster and who owns which slot: what the database decides, by its own clock.

import { StorageError } from '#engine/storage/storage-error.ts';
import type { Owners } from './slots.ts';

/** What a node says of itself when it joins. */
export interface NodeFacts {
  /** Names the process: a node that rejoins has another one. */
  readonly nodeId: string;
  /** Where other nodes reach its inner listener, HOST:PORT. */
  readonly address: string;
  readonly version: string;
  readonly deriverVersion: number;
  /** The newest migration of the database that its code knows. */
  readonly schemaVersion: number;
  /** Of its key, for its id (engine/storage/secrets/secret-box.ts). */
  readonly keyPrint: Uint8Array;
}

export interface NodeRecord extends NodeFacts {
  /** Numbers nodes in the order in which they joined. Never 0, never used again. */
  readonly nodeNo: number;
  /** Whether its lease has run out. */
  readonly expired: boolean;
  /** Milliseconds until its lease runs out; negative once it has. */
  readonly leaseLeftMs: number;
  readonly joinedAt: Date;
  /** How far its clock was ahead of the database's when it last renewed its lease. */
  readonly clockAheadMs: number;
}

/** What the database knew at one moment. */
export interface Standing {
  readonly nodes: readonly NodeRecord[];
  readonly owners: Owners;
  /** How often each slot has changed its owner, by slot. */
  readonly epochs: readonly number[];
}

/** Another node that lives, or died a moment ago, is at this address. */
export class AddressTaken extends StorageError {
  constructor(address: string) {
    super(
      `CLUSTER_ADDRESS: another node of the cluster is at ${address}. Stop it first, or give this one an address of its own.`,
    );
  }
}

export interface Membership {
  /**
   * Adds the node and returns its number. The first node of a cluster gets every slot, and fences off all earlier writers.
   * Rejects with AddressTaken while another node at its address has a lease, and with a StorageError when its code does not
   * work with the schema of the database any more.
   */
  join(facts: NodeFacts): Promise<number>;
  /** Renews the node's lease. Null: the node has been replaced, for good. */
  renew(nodeNo: number): Promise<Standing | null>;
  /**
   * Takes over from a node whose lease has run out: ends its connections, fences off its writers, deals out its slots, all
   * or nothing. False if the node has renewed its lease, has left, or `by` holds none itself.
   */
  takeOver(nodeNo: number, by: number): Promise<boolean>;
  /** Gives slots of one node to another. False, and nothing is given, if not all were the first one's or the other is gone. */
  give(slots: readonly number[], from: number, to: number): Promise<boolean>;
  /** Whether the node owns all of these slots, once whatever is being done to them has ended. */
  owns(nodeNo: number, slots: readonly number[]): Promise<boolean>;
  /** Removes the node. The others get its slots, and its writers are fenced off. */
  leave(nodeNo: number): Promise<void>;
}
