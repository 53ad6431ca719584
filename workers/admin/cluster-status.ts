// `cluster status`: shows the nodes of the cluster, as the database knows them.

import { leftLiveSessions } from '#engine/intake/live/postgres-frame-rows.ts';
import { standing } from '#engine/nodes/postgres-membership.ts';
import type { Command } from './command.ts';
import { readArguments } from './command-line.ts';
import { compareNodes, leftFindings } from './doctor/cluster-check.ts';
import { ownSecretBox } from './doctor/own-secret-box.ts';
import { checkReplication } from './doctor/servers-check.ts';
import { withService } from './service-database.ts';
import { textTable } from './text-table.ts';

const HELP = `Shows the nodes of the cluster: where they are, their versions, the newest migration that each one knows, how long
their leases last, how many of the 256 slots each one is home to, how far its clock is ahead of the database's, and whether it has
this SECRET_KEY. Below, what is wrong or differs, and whether the database may lose what was committed, each with the next step.

Usage: npm run admin -- cluster status [--json]

  --json   Print JSON even on a terminal

A node renews its lease twice a second. One whose lease has run out is replaced within seconds, if another one lives.

Example: npm run admin -- cluster status --json`;

const KEYS = { sealing: 'same', known: 'previous', other: 'other' } as const;

export const clusterStatus: Command = {
  words: 'cluster status',
  summary: 'Show the nodes that share the database',
  help: HELP,

  async run(args, terminal) {
    const { values } = readArguments(args, { json: { type: 'boolean' } });
    const { known, box, left, replication } = await withService(terminal, 'used', async ({ sql, config }) => ({
      known: await standing(sql),
      box: await ownSecretBox(config),
      left: await leftLiveSessions(sql),
      replication: await checkReplication(sql),
    }));
    const { nodes, owners } = known;
    const findings =
      nodes.length === 0
        ? []
        : [...compareNodes(known, box), ...leftFindings(known, left), replication].filter(
            ({ level }) => level !== 'ok',
          );
    const rows = nodes.map(
      ({
        nodeNo,
        nodeId,
        address,
        version,
        deriverVersion,
        schemaVersion,
        keyPrint,
        leaseLeftMs,
        clockAheadMs,
        joinedAt,
      }) => ({
        node: nodeNo,
        address,
        version,
        deriver: deriverVersion,
        schema: schemaVersion,
        leaseMs: Math.round(leaseLeftMs),
        slots: owners.filter((owner) => owner === nodeNo).length,
        clockAheadMs: Math.round(clockAheadMs),
        key: box === null ? ('unknown' as const) : KEYS[box.keyOfPrint(nodeId, keyPrint)],
        joinedAt: joinedAt.toISOString(),
      }),
    );
    if (values.json === true || !terminal.interactive) {
      terminal.print(JSON.stringify({ nodes: rows, unowned: owners.filter((owner) => owner === 0).length, findings }));
    } else if (rows.length === 0) {
      terminal.say(
        'No node has joined: the database is used by a service alone, or by none. See CLUSTER in npm start -- --help.',
      );
    } else {
      terminal.print(
        textTable(
          ['NODE', 'ADDRESS', 'VERSION', 'DERIVER', 'SCHEMA', 'LEASE', 'SLOTS', 'CLOCK', 'KEY', 'JOINED'],
          rows.map((row) => [
            String(row.node),
            row.address,
            row.version,
            String(row.deriver),
            String(row.schema),
            row.leaseMs < 0 ? 'run out' : `${row.leaseMs} ms`,
            String(row.slots),
            `${row.clockAheadMs} ms`,
            row.key,
            row.joinedAt,
          ]),
        ),
      );
      for (const { level, text, next } of findings) terminal.print(`${level}  ${text}\n  -> ${next}`);
    }
  },
};
