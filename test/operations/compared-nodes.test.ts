import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_SLOTS_MAX } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { NodeRecord } from '#engine/nodes/membership.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { compareNodes, leftFindings } from '#workers/admin/doctor/cluster-check.ts';

const box = new SecretBox('what all nodes know', systemRandomBytes);
const other = new SecretBox('what another one knows', systemRandomBytes);

function node(nodeNo: number, differs: Partial<NodeRecord> = {}): NodeRecord {
  const nodeId = `node ${nodeNo}`;
  return {
    nodeNo,
    nodeId,
    address: `10.0.0.${nodeNo}:8090`,
    version: '1.0.0',
    deriverVersion: 7,
    schemaVersion: 30,
    keyPrint: box.print(nodeId),
    clockAheadMs: 12,
    expired: false,
    leaseLeftMs: 2_000,
    joinedAt: new Date(0),
    ...differs,
  };
}

function findings(
  nodes: readonly NodeRecord[],
  owners = Array.from({ length: NODE_SLOTS_MAX }, () => 1),
  own: SecretBox | null = box,
) {
  return compareNodes({ nodes, owners, epochs: [] }, own).map(({ level, text, next }) => {
    assert.equal(next === '', level === 'ok', 'each finding has its next step');
    return `${level} ${text}`;
  });
}

test('nodes that agree are well', () => {
  assert.deepEqual(findings([node(1), node(2)]), [
    'ok 2 nodes hold their leases',
    'ok all run version 1.0.0',
    'ok all have this SECRET_KEY',
  ]);
});

test('what differs is named: a lease, slots, versions, derivers, schemas, keys, clocks', () => {
  const nodes = [
    node(1),
    node(2, { version: '0.9.0', deriverVersion: 6, expired: true, leaseLeftMs: -4_200 }),
    node(3, { keyPrint: other.print('node 3'), clockAheadMs: -2_500 }),
    node(4, { clockAheadMs: 90_000, schemaVersion: 31 }),
  ];
  assert.deepEqual(
    findings(
      nodes,
      Array.from({ length: NODE_SLOTS_MAX }, (_, slot) => (slot < 3 ? 0 : 1)),
    ),
    [
      'ok 3 nodes hold their leases',
      'problem the lease of node 2 at 10.0.0.2:8090 ran out 4.2 s ago',
      'problem 3 of 256 slots have no node',
      'warning the nodes run different versions: 1.0.0 (node 1 at 10.0.0.1:8090, node 3 at 10.0.0.3:8090, node 4 at 10.0.0.4:8090), 0.9.0 (node 2 at 10.0.0.2:8090)',
      'warning the nodes derive differently: 7 (node 1 at 10.0.0.1:8090, node 3 at 10.0.0.3:8090, node 4 at 10.0.0.4:8090), 6 (node 2 at 10.0.0.2:8090)',
      'warning the nodes know different schemas: migration 30 (node 1 at 10.0.0.1:8090, node 2 at 10.0.0.2:8090, node 3 at 10.0.0.3:8090), 31 (node 4 at 10.0.0.4:8090)',
      'problem node 3 at 10.0.0.3:8090 has another SECRET_KEY than this command',
      'warning the clock of node 3 at 10.0.0.3:8090 is 2.5 s behind',
      'problem the clock of node 4 at 10.0.0.4:8090 is 90.0 s ahead',
    ],
  );
});

test('a node that has left a live session is named, with the session', () => {
  const known = { nodes: [node(1), node(2)], owners: [], epochs: [] };
  assert.deepEqual(
    leftFindings(known, [{ sessionId: 'f1-2024-1-race', nodeNo: 2 }]).map(({ level, text }) => `${level} ${text}`),
    [
      'problem node 2 at 10.0.0.2:8090 has left the live session f1-2024-1-race: its updates differ from those of the node that feeds it',
    ],
  );
});

test('a node alone, one in a rotation, and no key to compare with', () => {
  const texts = ['what replaces it, later', 'what all nodes know'] as const;
  const rotated = new SecretBox({ texts: () => texts }, systemRandomBytes);
  assert.deepEqual(findings([node(1)], undefined, rotated), [
    'ok 1 node holds its lease',
    'warning there is only one node: nobody takes over when it dies',
    'warning node 1 at 10.0.0.1:8090 still seals with the previous key',
  ]);
  assert.match(findings([node(1), node(2)], undefined, null).at(-1)!, /^unknown the keys .* cannot be compared/);
});
