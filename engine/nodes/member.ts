// A node as a member of its cluster: renews its lease, and takes over from nodes that do not.
//
// NM1 The lease holds from before its renewal was sent, for less than the database grants. So it ends here before anyone may
//     take over, whatever the network does to the answer.
// NM2 A node takes over from another only once its own lease has held, and every renewal has succeeded, for as long as a
//     lease lasts. When the database was away, others' may have run out, also if its own just held: then everybody renews
//     first, and no slot moves.
// NM3 A node that has been replaced starts nothing more, and never renews again: its process ends and joins anew.
// NM4 Nobody replaces a node because of anything but its lease.

import type { TimerClock } from '#engine/base/clock.ts';
import type { Lease } from '#engine/base/lease.ts';
import { NODE_LEASE_MARGIN_MS, NODE_LEASE_MS, NODE_RENEW_MS } from '#engine/base/limits.ts';
import type { Membership, NodeRecord, Standing } from './membership.ts';

export interface MemberParts {
  readonly nodeNo: number;
  readonly membership: Pick<Membership, 'renew' | 'takeOver'>;
  readonly lease: Lease;
  readonly clock: TimerClock;
  /** After each renewal. */
  readonly stands: (standing: Standing) => void;
  /** The node has been replaced (NM3). Called once. */
  readonly replaced: () => void;
  readonly tookOver: (node: NodeRecord) => void;
  /** The database did not answer; it is asked again. */
  readonly failed: (error: Error) => void;
}

export class Member {
  readonly #parts: MemberParts;
  readonly #stop: () => void;
  #renewing: Promise<void> = Promise.resolve();
  /** Since when the lease has held and no renewal has failed, on the monotonic clock; Infinity while that is not so. */
  #heldSinceMs = Number.POSITIVE_INFINITY;
  #over = false;

  /** Begins to renew the lease. */
  constructor(parts: MemberParts) {
    this.#parts = parts;
    this.#stop = parts.clock.every(NODE_RENEW_MS, () => {
      this.#renewing = this.renew();
      return this.#renewing;
    });
  }

  /** Stops renewing. The lease runs out by itself. */
  async close(): Promise<void> {
    this.#over = true;
    this.#stop();
    await this.#renewing;
  }

  /** Renews the lease now, and takes over from nodes whose leases have run out. Never rejects. */
  async renew(): Promise<void> {
    const { membership, lease, clock, nodeNo, failed } = this.#parts;
    const askedMs = clock.nowMs();
    if (!lease.holdsAt(askedMs)) this.#heldSinceMs = Number.POSITIVE_INFINITY;
    try {
      const standing = await membership.renew(nodeNo);
      if (this.#over) return;
      if (standing === null) return this.#end();
      lease.extend(askedMs + NODE_LEASE_MS - NODE_LEASE_MARGIN_MS);
      this.#heldSinceMs = Math.min(this.#heldSinceMs, askedMs);
      this.#parts.stands(standing);
      if (askedMs - this.#heldSinceMs >= NODE_LEASE_MS && (await this.#takeOver(standing))) await this.renew();
    } catch (error) {
      this.#heldSinceMs = Number.POSITIVE_INFINITY;
      if (!this.#over) failed(error as Error);
    }
  }

  /** Returns whether it has taken over from anybody. */
  async #takeOver({ nodes }: Standing): Promise<boolean> {
    const { membership, nodeNo, tookOver } = this.#parts;
    let hasAny = false;
    for (const node of nodes) {
      if (!node.expired || node.nodeNo === nodeNo || this.#over) continue;
      if (!(await membership.takeOver(node.nodeNo, nodeNo))) continue;
      hasAny = true;
      tookOver(node);
    }
    return hasAny;
  }

  /** NM3 */
  #end(): void {
    this.#over = true;
    this.#parts.lease.drop();
    this.#stop();
    this.#parts.replaced();
  }
}
