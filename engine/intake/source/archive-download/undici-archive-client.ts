// Reads an archive through undici: one connection, without redirects or decompression.

import { Agent, request } from 'undici';
import { DOWNLOAD_DISCARD_BYTES_MAX, DOWNLOAD_SILENCE_MS_MAX } from '#engine/base/limits.ts';
import type { ArchiveClient, ArchiveResponse } from './archive-client.ts';

const USER_AGENT = 'Slipstream (import of recorded sessions)';

export class UndiciArchiveClient implements ArchiveClient {
  readonly #agent = new Agent({
    connections: 1,
    pipelining: 1,
    connect: { timeout: DOWNLOAD_SILENCE_MS_MAX },
    headersTimeout: DOWNLOAD_SILENCE_MS_MAX,
    bodyTimeout: DOWNLOAD_SILENCE_MS_MAX,
  });

  async get(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ArchiveResponse> {
    const response = await request(url, {
      dispatcher: this.#agent,
      headers: { ...headers, 'user-agent': USER_AGENT, 'accept-encoding': 'identity' },
      signal,
    });
    return {
      status: response.statusCode,
      header(name) {
        const value = response.headers[name];
        return Array.isArray(value) ? (value[0] ?? null) : (value ?? null);
      },
      body: response.body,
      async discard() {
        // An unread body would hold the connection. If the connection breaks meanwhile, that does not matter.
        response.body.on('error', () => {});
        await response.body.dump({ limit: DOWNLOAD_DISCARD_BYTES_MAX }).catch(() => {});
      },
    };
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
