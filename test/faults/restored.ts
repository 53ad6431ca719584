// A backup from the last node of a stage, restored into a single service without a cluster.

import { join } from 'node:path';
import { loggedCount } from '#bench/suite/logged-attempts.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import { runAdminProcess, startService } from '#test/support/service-process.ts';
import type { Stage } from './stage.ts';

/** Returns what is wrong with it. Call when all runs have ended. */
export async function restoreProblems(stage: Stage): Promise<string[]> {
  const { dataDir, env } = stage.nodes.at(-1)!;
  const backup = join(temporaryDataDir(), 'backup');
  const alone = temporaryDataDir();
  const key = { SECRET_KEY: env.SECRET_KEY! };
  await command(dataDir, ['backup', backup], env);
  await command(alone, ['restore', backup], key);
  const problems: string[] = [];
  const database = await openTestDatabase(alone);
  const sql = database.connect(1);
  const [found] = await sql<{ logged: number; used: number }[]>`
    select ${loggedCount(sql)} as logged, (select coalesce(sum(attempts), 0)::int from usage) as used`;
  await database.close();
  const { distinct } = stage.arrivals;
  if (found!.logged !== distinct || found!.used !== distinct)
    problems.push(`restored: ${found!.logged} in the log and ${found!.used} in usage, ${distinct} received`);
  const service = await startService(alone, { ...key, SHARDS: '1' });
  try {
    const api = stage.accounts[0]!.api.at(service.address);
    const prepared = await api.call('POST', '/simulate/prepare', { sessionId: stage.sessionId });
    if (prepared.status >= 300) problems.push(`restored: the recording is not prepared: ${prepared.status}`);
    await api.until(`/simulate/status?session=${stage.sessionId}`, ({ data }) => data.status === 'ready');
    const { body } = await api.call('GET', '/webhooks');
    const { length } = stage.accounts[0]!.endpoints;
    if (body.data.endpoints?.length !== length) problems.push(`restored: not ${length} endpoints`);
  } finally {
    await service.end('SIGTERM');
  }
  return problems;
}

async function command(dataDir: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const { code, err } = await runAdminProcess(dataDir, args, env);
  if (code !== 0) throw new Error(`${args[0]}: ${err}`);
}
