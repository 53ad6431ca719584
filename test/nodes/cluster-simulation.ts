// A cluster of several nodes in simulated time, on a database in memory: nodes die, stand still and come back, and the
// database is out of reach of one of them or of all. Nothing here is by chance but the seed.

import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import fc from 'fast-check';
import { ClusterHomes } from '#api/nodes/cluster-homes.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { Lease } from '#engine/base/lease.ts';
import { NODE_LEASE_MS, NODE_SLOTS_MAX } from '#engine/base/limits.ts';
import { Member } from '#engine/nodes/member.ts';
import type { Membership } from '#engine/nodes/membership.ts';
import { slotOf } from '#engine/nodes/slots.ts';
import { MemoryMembership } from '#test/support/memory-membership.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const NODES = 3;
const STEP_MS = 50;
const FAULTS_MS = 12_000;
const FAULT_MS_MAX = 8_000;
/** What the cluster has to be whole again once the faults are over. */
const CALM_MS = 3 * NODE_LEASE_MS;
const PROMPT_MS = 5;
/** A database that takes longer to answer may cost a node its lease. */
const SLOW_MS = 300;
const FAULTS_OVER_MS = 2 * NODE_LEASE_MS + FAULTS_MS + FAULT_MS_MAX;
/** One at home on each node at first. */
const KEYS = Array.from({ length: NODES }, (_, place) => keyOf(place));

export interface ClusterFaults {
  /** For each fault: what happens to which node, from when on, for how long. */
  readonly faults: readonly { kind: 'kill' | 'stop' | 'cut' | 'outage'; node: number; atMs: number; forMs: number }[];
  /** How long the database takes to be asked, and to answer, in turn. */
  readonly delays: readonly number[];
}

type FaultKind = ClusterFaults['faults'][number]['kind'];

function courses(kinds: readonly FaultKind[], delaysMs: readonly number[]): fc.Arbitrary<ClusterFaults> {
  return fc.record({
    faults: fc.array(
      fc.record({
        kind: fc.constantFrom(...kinds),
        node: fc.nat(NODES - 1),
        atMs: fc.nat(FAULTS_MS),
        forMs: fc.integer({ min: 100, max: FAULT_MS_MAX }),
      }),
      { maxLength: 6 },
    ),
    delays: fc.array(fc.constantFrom(...delaysMs), { minLength: 1, maxLength: 12 }),
  });
}

/** Some courses know outages only: in these, no slot may move (NM2), nor when all nodes stand still together. */
export const clusterFaults: fc.Arbitrary<ClusterFaults> = fc.oneof(
  { weight: 3, arbitrary: courses(['kill', 'stop', 'cut', 'outage'], [0, 1, 5, 40, 300, 1_200]) },
  { weight: 1, arbitrary: courses(['outage'], [0, 1, 5, 40, SLOW_MS]) },
);

/** A key whose slot belongs to the node at that place at first. */
function keyOf(place: number): string {
  for (let i = 0; ; i++) if (slotOf(`acc_${i}`) % NODES === place) return `acc_${i}`;
}

/** The parts that a test may break on purpose. */
export interface ClusterCode {
  readonly Member: typeof Member;
  readonly ClusterHomes: typeof ClusterHomes;
}

export const SOUND: ClusterCode = { Member, ClusterHomes };

/** The class of a file with a defect in it. `text` must occur once. */
export async function broken<Class>(file: string, name: string, text: string, instead: string): Promise<Class> {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  if (source.split(text).length !== 2) throw new Error(`${file}: "${text}" does not occur once`);
  const code = stripTypeScriptTypes(source.replace(text, instead)).replaceAll(
    /from '(#[^']+)'/g,
    (_, specifier: string) => `from '${import.meta.resolve(specifier)}'`,
  );
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`))[name];
}

interface Node {
  readonly no: number;
  readonly lease: Lease;
  readonly homes: ClusterHomes;
  readonly member: Member;
  /** It has ended: killed, or replaced. */
  over: boolean;
}

/** Whether all nodes stand still for the same time, as when their machine is suspended. */
function stopsAll({ kind, atMs, forMs }: ClusterFaults['faults'][number], faults: ClusterFaults['faults']): boolean {
  const alike = faults.filter((other) => other.kind === 'stop' && other.atMs === atMs && other.forMs === forMs);
  return kind === 'stop' && new Set(alike.map(({ node }) => node)).size === NODES;
}

/** Plays a cluster. Returns what was wrong, the first thing first; empty if nothing was. */
export async function playCluster({ faults, delays }: ClusterFaults, code: ClusterCode = SOUND): Promise<string[]> {
  const time = new SimulatedTime();
  const database = new MemoryMembership(time);
  const wrong: string[] = [];
  const during = (kind: string, node: number | null): number => {
    const nowMs = time.nowMs();
    let untilMs = 0;
    for (const fault of faults)
      if (fault.kind === kind && (node === null || fault.node === node) && fault.atMs <= nowMs)
        untilMs = Math.max(untilMs, fault.atMs + fault.forMs);
    return untilMs > nowMs ? untilMs : 0;
  };
  let delay = 0;
  const nextDelay = (): number => (time.nowMs() < FAULTS_OVER_MS ? delays[delay++ % delays.length]! : PROMPT_MS);

  /** Waits while the process stands still. */
  const running = async (place: number): Promise<void> => {
    for (let untilMs = during('stop', place); untilMs > 0; untilMs = during('stop', place))
      await time.sleep(untilMs - time.nowMs());
  };
  /** A statement: on its way there and back, the database may be out of reach; what it did stays done. */
  const asked = async <Result>(place: number, work: () => Promise<Result>): Promise<Result> => {
    await time.sleep(nextDelay());
    const away = (): boolean => during('outage', null) > 0 || during('cut', place) > 0;
    if (away()) throw new Error('the database is away');
    const result = await work();
    await time.sleep(nextDelay());
    if (away()) throw new Error('the database is away');
    await running(place);
    return result;
  };

  const nodes: Node[] = [];
  let joins = 0;
  const join = async (place: number): Promise<void> => {
    const no = await database.join({
      nodeId: `node ${place} since ${time.nowMs()}`,
      address: `10.0.0.${place}:${joins++}`,
      version: '1',
      deriverVersion: 1,
      schemaVersion: 1,
      keyPrint: new Uint8Array(),
    });
    const clock: TimerClock = {
      nowMs: () => time.nowMs(),
      wallMs: () => time.wallMs(),
      sleep: (ms, signal) => time.sleep(ms, signal),
      schedule: (ms, callback) => time.schedule(ms, callback),
      every: (ms, work) => time.every(ms, () => running(place).then(work)),
    };
    const membership: Pick<Membership, 'renew' | 'takeOver'> = {
      renew: (nodeNo) => asked(place, () => database.renew(nodeNo)),
      takeOver: (nodeNo, by) => asked(place, () => database.takeOver(nodeNo, by)),
    };
    const lease = new Lease();
    const homes = new code.ClusterHomes({ nodeNo: no, lease, clock });
    const node: Node = {
      no,
      lease,
      homes,
      over: false,
      member: new code.Member({
        nodeNo: no,
        membership,
        lease,
        clock,
        stands: (standing) => void homes.update(standing),
        replaced() {
          node.over = true;
        },
        tookOver() {},
        failed() {},
      }),
    };
    nodes[place] = node;
    void node.member.renew();
  };
  for (let place = 0; place < NODES; place++) await join(place);
  // As if the first one had handed over.
  const all = Array.from({ length: NODE_SLOTS_MAX }, (_, slot) => slot);
  for (let place = 1; place < NODES; place++)
    await database.give(
      all.filter((slot) => slot % NODES === place),
      nodes[0]!.no,
      nodes[place]!.no,
    );
  await time.pass(2 * NODE_LEASE_MS);
  const hitsAll = faults.every((fault) => fault.kind === 'outage' || stopsAll(fault, faults));
  const nobodyIsAway = hitsAll && delays.every((ms) => ms <= SLOW_MS);
  const before = database.standing().epochs;

  const killed = new Set<object>();
  while (time.nowMs() < FAULTS_OVER_MS + CALM_MS) {
    for (const fault of faults) {
      const node = nodes[fault.node]!;
      if (fault.kind !== 'kill' || killed.has(fault) || fault.atMs > time.nowMs()) continue;
      killed.add(fault);
      node.over = true;
      await Promise.race([node.member.close(), time.pass(0)]);
      node.lease.drop();
    }
    for (const [place, node] of nodes.entries()) {
      if (node.over && during('kill', place) === 0 && during('cut', place) === 0 && during('outage', null) === 0)
        await join(place);
    }
    await time.pass(STEP_MS);
    for (const key of KEYS) {
      const here = nodes.filter(
        (node, place) => !node.over && during('stop', place) === 0 && node.homes.homeOf(key).kind === 'here',
      );
      if (here.length > 1) wrong.push(`${key} is at home on ${here.map(({ no }) => no)} at ${time.nowMs()} ms`);
    }
    if (wrong.length > 0) return wrong;
  }
  for (const key of KEYS) {
    const here = nodes.filter((node) => !node.over && node.homes.homeOf(key).kind === 'here');
    if (here.length !== 1) wrong.push(`${key} is at home on ${here.length} nodes in the end`);
  }
  if (nobodyIsAway && database.standing().epochs.some((epoch, slot) => epoch !== before[slot]))
    wrong.push('NM2: a slot has moved though no node was away');
  for (const { member } of nodes) void member.close();
  return wrong;
}
