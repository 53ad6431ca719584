// The updates of a replay as server-sent events, as a customer's program reads them with the project's client.

import { SlipstreamClient } from '#api/client/slipstream-client.ts';
import type { Credentials } from './api-client.ts';
import type { StreamedUpdate } from './followed-stream.ts';

/** From the first update on. `address` of the service, without `/v1`. Throws when the stream ends before the replay does. */
export async function* eventUpdates(
  address: string,
  { clientId, clientSecret }: Credentials,
  run: string,
  signal: AbortSignal,
): AsyncGenerator<StreamedUpdate, void, undefined> {
  const client = new SlipstreamClient({ baseUrl: `${address}/v1`, clientId, clientSecret });
  for await (const { sequence, body } of client.stream({ run, after: 0, signal }))
    yield { sequence, body: Buffer.from(body) };
}
