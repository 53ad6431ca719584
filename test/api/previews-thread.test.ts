// The forecasting thread without a database.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { PiscinaForecasts } from '#workers/tasks/piscina-forecasts.ts';

test('a thread that cannot reach the database fails with a Retry-After, each time it is asked', async (t) => {
  const forecasts = new PiscinaForecasts(parseDatabaseUrl('postgres://nobody@127.0.0.1:9/nothing'));
  t.after(() => forecasts.close());
  const question = { release: 'a', eventId: '2026-miami', race: 'grand_prix', grid: null } as const;
  for (const _ of [1, 2]) {
    await assert.rejects(forecasts.of(question), { code: 'unavailable', headers: { 'retry-after': '1' } });
  }
});
