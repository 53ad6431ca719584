// A service as a node of its cluster: joins it, keeps its lease, follows who is home to whom, and leaves.

import type { App } from '#api/app.ts';
import type { ClusterParts } from '#api/app-parts.ts';
import { ClusterHomes } from '#api/nodes/cluster-homes.ts';
import { Handover } from '#api/nodes/handover.ts';
import { type MeteredNode, NodeMeter } from '#api/nodes/node-meter.ts';
import type { PeerListening } from '#api/nodes/peer-listener.ts';
import { UndiciForwarder } from '#api/nodes/undici-forwarder.ts';
import { systemClock } from '#engine/base/clock.ts';
import { Lease } from '#engine/base/lease.ts';
import { NODE_JOIN_MS_MAX, NODE_RENEW_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { AddressTaken, type Membership, type NodeFacts, type Standing } from '#engine/nodes/membership.ts';
import { PostgresMembership } from '#engine/nodes/postgres-membership.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { ClusterThread } from './cluster-thread.ts';
import type { ClusterSettings } from './config.ts';

export interface ClusterNodeParts {
  readonly facts: NodeFacts;
  readonly settings: ClusterSettings;
  readonly sql: Sql;
  readonly connection: ConnectionSettings;
  readonly secretBox: SecretBox;
  readonly logLevel: string;
  readonly log: Log;
  /** Another node has taken over from this one: the process must end at once. */
  readonly replaced: () => void;
}

/** One that was killed and starts again waits for its own lease of before to run out. */
async function joined(membership: Membership, facts: NodeFacts): Promise<number> {
  const untilMs = systemClock.nowMs() + NODE_JOIN_MS_MAX;
  for (;;) {
    try {
      return await membership.join(facts);
    } catch (error) {
      if (!(error instanceof AddressTaken) || systemClock.nowMs() >= untilMs) throw error;
      await systemClock.sleep(NODE_RENEW_MS);
    }
  }
}

type ServedApp = Pick<App, 'gain' | 'letGo' | 'listenForPeers'>;

export class ClusterNode {
  readonly lease = new Lease();
  readonly nodeNo: number;
  readonly #meter = new NodeMeter();
  readonly #parts: ClusterNodeParts;
  readonly #membership: Membership;
  readonly #homes: ClusterHomes;
  readonly #forwarder: UndiciForwarder;
  readonly #thread: ClusterThread;
  /** Gained before the app could serve them. */
  #waiting: number[] = [];
  #handover: Handover | null = null;
  #keeper: (isKeeper: boolean) => void = () => {};
  #listening: PeerListening | null = null;

  /** Joins the cluster. Resolves once the lease holds. */
  static async join(parts: ClusterNodeParts): Promise<ClusterNode> {
    const membership = new PostgresMembership(parts.sql, systemClock);
    const node = new ClusterNode(parts, membership, await joined(membership, parts.facts));
    await node.#thread.ready;
    return node;
  }

  private constructor(parts: ClusterNodeParts, membership: Membership, nodeNo: number) {
    this.nodeNo = nodeNo;
    this.#parts = parts;
    this.#membership = membership;
    this.#homes = new ClusterHomes({ nodeNo, lease: this.lease, clock: systemClock });
    this.#forwarder = new UndiciForwarder({ secretBox: parts.secretBox, meter: this.#meter, clock: systemClock });
    const { connection, logLevel, log, replaced } = parts;
    this.#thread = new ClusterThread({
      nodeNo,
      connection,
      lease: this.lease,
      logLevel,
      stands: (standing) => this.#stands(standing),
      tookOver: ({ address }) => log.warn({ address }, 'took over from a node whose lease had run out'),
      replaced,
      log,
    });
  }

  /** For the app. */
  get parts(): ClusterParts {
    const homes = this.#homes;
    return {
      homes,
      forwarder: this.#forwarder,
      owns: (accountId) => homes.owns(accountId),
      isKeeper: () => homes.keepsHouse,
    };
  }

  /** For the metrics. */
  get metered(): MeteredNode {
    const { nodeNo, lease } = this;
    return { nodeNo, address: this.#parts.facts.address, lease: lease.memory, meter: this.#meter.memory };
  }

  /** Serves the other nodes, resumes what this one gains, and gives away what it has too much of. */
  async serve(app: ServedApp): Promise<void> {
    const { settings, log } = this.#parts;
    this.#listening = await app.listenForPeers(settings.host, settings.port);
    this.#handover = new Handover({
      nodeNo: this.nodeNo,
      homes: this.#homes,
      membership: this.#membership,
      letGo: (isTheirs) => app.letGo(isTheirs),
      gain: (isOurs) => app.gain(isOurs),
      clock: systemClock,
      log,
    });
    this.#gain(this.#waiting);
  }

  /** Calls back with whether this node does what one node does for all, now and whenever it is told who owns what. */
  onKeeper(keeper: (isKeeper: boolean) => void): void {
    this.#keeper = keeper;
    keeper(this.#homes.keepsHouse);
  }

  /** This node's updates of a live session differ: it delivers the session no more. */
  leftSession(): void {
    this.#meter.leavings.add('sessions');
  }

  /** Serves the other nodes no more. */
  async close(): Promise<void> {
    await this.#handover?.close();
    await this.#listening?.close();
  }

  /** Gives everything to the other nodes. Call when all that was under way has ended and is recorded. */
  async leave(): Promise<void> {
    await this.#thread.close();
    this.lease.drop();
    this.#forwarder.close();
    await this.#membership.leave(this.nodeNo);
  }

  #stands(standing: Standing): void {
    const gained = this.#homes.update(standing);
    this.#meter.gauges.set('slots', standing.owners.filter((owner) => owner === this.nodeNo).length);
    this.#meter.gauges.set('nodesAlive', standing.nodes.filter(({ expired }) => !expired).length);
    this.#forwarder.keep(this.#homes.peers);
    if (gained.length > 0) this.#gain(gained);
    this.#handover?.balance();
    this.#keeper(this.#homes.keepsHouse);
  }

  #gain(slots: readonly number[]): void {
    if (this.#handover === null) this.#waiting.push(...slots);
    else this.#handover.gain(slots);
  }
}
