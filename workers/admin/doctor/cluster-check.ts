// Compares the nodes of a cluster: their leases and slots, versions, keys and clocks; and whether the database that all of them
// need has a standby that loses nothing.

import { NODE_SLOTS_MAX } from '#engine/base/limits.ts';
import { type LeftSession, leftLiveSessions } from '#engine/intake/live/postgres-frame-rows.ts';
import type { NodeRecord, Standing } from '#engine/nodes/membership.ts';
import { standing } from '#engine/nodes/postgres-membership.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { clockFinding } from './clock-check.ts';
import { type Found, ok, problem, unknown, warning } from './finding.ts';
import { checkReplication } from './servers-check.ts';

/** `box`: null if the key of this machine cannot be read. A service alone has no nodes, and no finding. */
export async function checkCluster(sql: Sql, box: SecretBox | null, ofSeveral: boolean): Promise<readonly Found[]> {
  const [table] = await sql<{ present: boolean }[]>`
    select exists (
      select from information_schema.columns where table_name = 'cluster_node' and column_name = 'schema_version'
    ) as present`;
  if (!table!.present) return [];
  const known = await standing(sql);
  if (known.nodes.length === 0) return [];
  // Of several servers, the check of the servers says it.
  return [
    ...compareNodes(known, box),
    ...leftFindings(known, await leftLiveSessions(sql)),
    ...(ofSeveral ? [] : [await checkReplication(sql)]),
  ];
}

/** What differs between nodes that must not differ. */
export function compareNodes({ nodes, owners }: Standing, box: SecretBox | null): Found[] {
  return [
    ...leases(nodes, owners.filter((owner) => owner === 0).length),
    ...differences(nodes),
    ...keys(nodes, box),
    ...nodes.map((node) => clockFinding(nameOf(node), node.clockAheadMs)).filter(({ level }) => level !== 'ok'),
  ];
}

/** Live sessions that a node no longer delivers, because it has made other updates than the node that feeds them. */
export function leftFindings({ nodes }: Standing, left: readonly LeftSession[]): Found[] {
  return left.map(({ sessionId, nodeNo }) =>
    problem(
      `${names(nodes.filter((node) => node.nodeNo === nodeNo))} has left the live session ${sessionId}: its updates differ from those of the node that feeds it`,
      'Start it again: it derives the session anew. If it leaves it again, its version differs from the others.',
    ),
  );
}

function leases(nodes: readonly NodeRecord[], unowned: number): Found[] {
  const found = nodes
    .filter(({ expired }) => expired)
    .map((node) =>
      problem(
        `the lease of ${nameOf(node)} ran out ${(-node.leaseLeftMs / 1_000).toFixed(1)} s ago`,
        'Another node takes over within seconds. If none does, start one; see the log of this one for why.',
      ),
    );
  const live = nodes.length - found.length;
  found.unshift(ok(`${live === 1 ? '1 node holds its lease' : `${live} nodes hold their leases`}`));
  if (live === 1) found.push(warning('there is only one node: nobody takes over when it dies', 'Start another one.'));
  if (unowned > 0)
    found.push(problem(`${unowned} of ${NODE_SLOTS_MAX} slots have no node`, 'Start a node: it takes them at once.'));
  return found;
}

function differences(nodes: readonly NodeRecord[]): Found[] {
  const versions = Map.groupBy(nodes, ({ version }) => version);
  const derivers = Map.groupBy(nodes, ({ deriverVersion }) => String(deriverVersion));
  const schemas = Map.groupBy(nodes, ({ schemaVersion }) => String(schemaVersion));
  const found: Found[] = [];
  if (versions.size > 1)
    found.push(
      warning(
        `the nodes run different versions: ${grouped(versions)}`,
        'Upgrade the older ones, one at a time: two versions at once are for the time of an upgrade.',
      ),
    );
  if (derivers.size > 1)
    found.push(
      warning(
        `the nodes derive differently: ${grouped(derivers)}`,
        'Upgrade the older ones: a replay that moves between them may be compiled again, and sessions differ in their updates.',
      ),
    );
  if (schemas.size > 1)
    found.push(
      warning(
        `the nodes know different schemas: migration ${grouped(schemas)}`,
        'Upgrade the older ones: until then no node applies a migration that they do not work with.',
      ),
    );
  return found.length > 0 || nodes.length === 1 ? found : [ok(`all run version ${nodes[0]!.version}`)];
}

function keys(nodes: readonly NodeRecord[], box: SecretBox | null): Found[] {
  if (box === null)
    return [unknown('the keys of the nodes cannot be compared without one', 'Set SECRET_KEY as the nodes do.')];
  const kinds = Map.groupBy(nodes, ({ nodeId, keyPrint }) => box.keyOfPrint(nodeId, keyPrint));
  const found: Found[] = [];
  const others = kinds.get('other') ?? [];
  const previous = kinds.get('known') ?? [];
  if (others.length > 0)
    found.push(
      problem(
        `${names(others)} has another SECRET_KEY than this command`,
        'Give every node the same: nodes with different keys pass no requests on to each other.',
      ),
    );
  if (previous.length > 0)
    found.push(
      warning(
        `${names(previous)} still seals with the previous key`,
        'Restart it with the new SECRET_KEY, and SECRET_KEY_PREVIOUS, to go on with the rotation.',
      ),
    );
  return found.length > 0 ? found : [ok('all have this SECRET_KEY')];
}

function grouped(groups: ReadonlyMap<string, readonly NodeRecord[]>): string {
  return [...groups].map(([text, nodes]) => `${text} (${names(nodes)})`).join(', ');
}

function names(nodes: readonly NodeRecord[]): string {
  return nodes.map(nameOf).join(', ');
}

function nameOf({ nodeNo, address }: NodeRecord): string {
  return `node ${nodeNo} at ${address}`;
}
