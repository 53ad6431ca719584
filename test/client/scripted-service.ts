// A service over real HTTP that answers as a test says: tokens as POST /v1/oauth gives them, anything else by the script.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { SlipstreamClient } from '#api/client/client.ts';

export interface ScriptedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly token: string;
  readonly lastId: string;
  readonly body: unknown;
}

/** Answers one request. */
export type Step = (request: ScriptedRequest, response: ServerResponse) => unknown;

export interface ScriptedService {
  readonly baseUrl: string;
  readonly client: SlipstreamClient;
  /** What has come, requests for tokens apart. */
  readonly requests: ScriptedRequest[];
  /** How many tokens were given. */
  readonly tokens: () => number;
  /** Seconds that the tokens of now are valid. */
  expiresInS: number;
  /** Answers requests for tokens; a token unless the test says otherwise. */
  oauth: Step;
}

export const CREDENTIALS = { clientId: 'cli_of_the_test', clientSecret: 'cs_of_the_test' };

/** The last step answers all further requests. */
export async function scriptedService(t: TestContext, ...script: Step[]): Promise<ScriptedService> {
  let tokens = 0;
  const requests: ScriptedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await requestOf(incoming);
    if (request.path === '/v1/oauth') return service.oauth(request, response);
    requests.push(request);
    const step = script.length > 1 ? script.shift()! : script[0]!;
    step(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const service: ScriptedService = {
    baseUrl,
    client: new SlipstreamClient({ baseUrl, ...CREDENTIALS }),
    requests,
    tokens: () => tokens,
    expiresInS: 43_200,
    oauth: (_, response) => {
      const token = `token-${++tokens}`;
      json(200, { access_token: token, token_type: 'Bearer', expires_in: service.expiresInS })(_, response);
    },
  };
  return service;
}

/** Answers with JSON. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step {
  return (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers })
      .end(JSON.stringify(body));
}

/** Answers with an error of the service. */
export function refusal(status: number, code: string, headers?: Readonly<Record<string, string>>): Step {
  return json(status, { error: `Refused: ${code}.`, code, statusCode: status }, headers);
}

async function requestOf(incoming: IncomingMessage): Promise<ScriptedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const isJson = incoming.headers['content-type'] === 'application/json';
  return {
    method: incoming.method!,
    path: incoming.url!,
    token: (incoming.headers.authorization ?? '').replace('Bearer ', ''),
    lastId: String(incoming.headers['last-event-id'] ?? ''),
    body: isJson ? JSON.parse(text) : undefined,
  };
}
