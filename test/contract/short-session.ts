// A recorded race of one minute for contract tests. It is imported before the service starts, then prepared by a customer.

import assert from 'node:assert/strict';
import { importRecording } from '#test/support/admin-command.ts';
import type { Caller } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { writeShortRace } from '#test/support/short-race.ts';

export const SHORT_SESSION = '2026-short-race';
/** Settings under which the session belongs to the current season. */
export const IN_SEASON = { SEASON: '2026' };

export function importShortSession(dataDir: string): Promise<void> {
  return importRecording(dataDir, writeShortRace(dataDir), SHORT_SESSION);
}

/** Prepares a session and waits until it is ready. */
export async function prepare(client: Caller, sessionId = SHORT_SESSION): Promise<void> {
  const { status, body } = await client.call('POST', '/simulate/prepare', { sessionId });
  assert.equal(status, 202, JSON.stringify(body));
  await eventually(`${sessionId} is ready`, async () => {
    const { data } = (await client.call('GET', `/simulate/status?session=${sessionId}`)).body;
    return data.status === 'ready';
  });
}

/** Starts a replay of the session to the account's endpoints, at ten times its speed. Returns the run's id. */
export async function replay(client: Caller, sessionId = SHORT_SESSION): Promise<string> {
  const { status, body } = await client.call('GET', `/simulate/stream?session=${sessionId}&speed=10&sinks=webhook`);
  assert.equal(status, 202, JSON.stringify(body));
  return body.data.runId;
}
