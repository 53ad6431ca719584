// Starts the real service in its own process, with accounts, tokens and endpoints for load benches. Its temporary
// folder is removed at the end.

import { createAccount } from '#api/accounts/account-creation.ts';
import { systemClock } from '#engine/base/clock.ts';
import { removeDataFolder } from '#workers/demo/data-folder.ts';
import { ServiceProcess } from '#workers/demo/service-process.ts';
import { makeServiceFolder } from './prepared-folder.ts';
import { openSecretBox, openServiceDatabase } from './service-database.ts';

/** The requests of a load, and the local port that they go to. */
export interface LoadTarget {
  readonly port: number;
  /** Complete HTTP requests, sent round-robin. */
  readonly requests: readonly Buffer[];
}

export interface ApiService {
  readonly pid: number;
  /** `GET /v1/webhooks` for each account. */
  readonly target: LoadTarget;
  /** Length of a response body. */
  readonly responseBytes: number;
  /** `POST /v1/oauth` for one of the accounts. Rejects unless the response has a token. */
  requestToken(account: number): Promise<string>;
  end(): Promise<void>;
}

export async function startApiService(accounts: number, endpointsEach: number): Promise<ApiService> {
  const dataDir = makeServiceFolder();
  const service = await ServiceProcess.start(dataDir, AbortSignal.timeout(60_000));
  const end = async () => {
    await service.stop();
    removeDataFolder(dataDir);
  };
  try {
    const credentials = await createAccounts(dataDir, accounts);
    const { address } = service;
    const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${address}/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Record<string, string>;
    };
    const requestToken = async (account: number): Promise<string> => {
      const { clientId, clientSecret } = credentials[account % credentials.length]!;
      const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      return (await post('/oauth', grant)).access_token!;
    };
    const requests: Buffer[] = [];
    let responseBytes = 0;
    for (let account = 0; account < accounts; account++) {
      const authorization = `Bearer ${await requestToken(account)}`;
      for (let made = 0; made < endpointsEach; made++) {
        const body = { webhookUrl: `http://localhost:9000/${made}`, feedIds: ['timing.data', 'session.status'] };
        await post('/webhooks', body, { authorization });
      }
      requests.push(Buffer.from(`GET /v1/webhooks HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`));
      const list = await fetch(`${address}/v1/webhooks`, { headers: { authorization } });
      responseBytes = (await list.text()).length;
    }
    const target = { port: Number(new URL(address).port), requests };
    return { pid: service.pid!, target, responseBytes, requestToken, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Does what the operator's command does, `count` times. */
async function createAccounts(dataDir: string, count: number) {
  const database = await openServiceDatabase(dataDir);
  try {
    const parts = {
      sql: database.connect(2),
      secretBox: await openSecretBox(dataDir),
      clock: systemClock,
    };
    const credentials = [];
    for (let made = 0; made < count; made++) {
      credentials.push(await createAccount({ email: `bench-${made}@example.com`, plan: 'custom' }, parts));
    }
    return credentials;
  } finally {
    await database.close();
  }
}
