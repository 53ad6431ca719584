// The service as customers see it: its own process, with a real PostgreSQL and a real mail server. Every response that
// a contract test gets is checked against the OpenAPI document that the same service publishes.

import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SMTPServer } from 'smtp-server';
import { createAccount } from '#api/accounts/account-creation.ts';
import type { Plan } from '#api/plans/plan.ts';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { openDatabase } from '#engine/storage/database.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import { runAdminCommand } from './admin-command.ts';
import { silentLog, temporaryDataDir } from './database.ts';
import { issued, issuedIn } from './output-folder.ts';
import { type ServiceProcess, startService } from './service-process.ts';

export interface ContractAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: contract tests check responses whose type is not certain
  readonly body: any;
}

export interface CallOptions {
  readonly token?: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ContractMail {
  readonly to: string;
  /** The mail as it arrived over SMTP, without soft line breaks. */
  readonly text: string;
}

export interface ContractClient {
  readonly accountId: string;
  readonly email: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
  call(method: string, path: string, body?: unknown): Promise<ContractAnswer>;
  /** Creates an endpoint, for the feed session.status unless the body selects others, and returns its id. */
  webhook(body?: Record<string, unknown>): Promise<string>;
}

/** Whoever may ask the service. */
export type Caller = Pick<ContractClient, 'call'>;

export interface ContractService {
  /** `{base_url}`: `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  readonly process: ServiceProcess;
  readonly dataDir: string;
  readonly sql: Sql;
  readonly mails: readonly ContractMail[];
  /** The published OpenAPI document. */
  readonly document: Record<string, unknown>;
  /** From now on the mail server refuses every recipient with this reason; null accepts them. */
  refuseMails(reason: string | null): void;
  /**
   * Sends a request below `{base_url}` and checks the response against the document. A string body is sent unchanged.
   */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<ContractAnswer>;
  /** Creates a verified account with this plan and a bearer token. */
  client(plan: Plan): Promise<ContractClient>;
  admin(args: readonly string[]): Promise<Record<string, string>>;
}

export interface Scope {
  after(end: () => unknown): void;
}

/** Starts everything. `env` adds settings of the service. `before` runs when only its data folder exists. */
export async function contractService(
  scope: Scope,
  env: Readonly<Record<string, string>> = {},
  before: (dataDir: string) => Promise<unknown> = async () => {},
): Promise<ContractService> {
  const dataDir = temporaryDataDir('service');
  await before(dataDir);
  const mails: ContractMail[] = [];
  let refusal: string | null = null;
  const smtp = await mailServer(mails, () => refusal);
  const service = await startService(dataDir, {
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    SHARDS: '1',
    // At this level the service prints the most. The suite searches it for secrets (test/suite.ts).
    LOG_LEVEL: 'debug',
    ...env,
  });
  const database = await openDatabase({
    databaseUrl: null,
    dataDir,
    role: 'command',
    log: silentLog,
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  scope.after(async () => {
    await database.close();
    await service.end('SIGTERM');
    await smtp.close();
  });
  const sql = database.connect(2);
  const baseUrl = `${service.address}/v1`;
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Record<string, unknown>;
  const check = responseCheck(document);
  const secretBox = new SecretBox(await loadSecretKey(dataDir, null, systemRandomBytes, silentLog), systemRandomBytes);

  const call: ContractService['call'] = async (method, path, body, { token, cookie, headers = {} } = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(cookie !== undefined && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    for (const cookie of response.headers.getSetCookie()) issued(cookie.split(/[=;]/)[1]!);
    const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    issuedIn(answer.body);
    if (method !== 'HEAD' && method !== 'OPTIONS') check(method, path.split('?')[0]!, answer);
    return answer;
  };

  let accounts = 0;
  return {
    baseUrl,
    process: service,
    dataDir,
    sql,
    mails,
    document,
    refuseMails(reason) {
      refusal = reason;
    },
    call,
    async client(plan) {
      const email = `client-${++accounts}@example.com`;
      const credentials = await createAccount({ email, plan }, { sql, secretBox, clock: systemClock });
      const { clientId, clientSecret } = credentials;
      const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const token: string = (await call('POST', '/oauth', grant)).body.access_token;
      const client: ContractClient = {
        ...credentials,
        email,
        token,
        call: (method, path, body) => call(method, path, body, { token }),
        async webhook(body = {}) {
          const { status, body: created } = await client.call('POST', '/webhooks', {
            webhookUrl: 'http://localhost:9/hook',
            ...('feedIds' in body || 'subscriptions' in body ? {} : { feedId: 'session.status' }),
            ...body,
          });
          if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(created)}`);
          return created.data.webhookId;
        },
      };
      return client;
    },
    async admin(args) {
      const { code, out, err } = await runAdminCommand(dataDir, args);
      if (code !== 0) throw new Error(err);
      return JSON.parse(out);
    },
  };
}

/** Throws unless the document describes the response: its path, method, status and body. */
function responseCheck(
  document: Record<string, unknown>,
): (method: string, path: string, answer: ContractAnswer) => void {
  // That it is valid is tested elsewhere (test/api/openapi-document.test.ts).
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  ajv.addSchema(document, 'openapi');
  const paths = document.paths as Record<string, Record<string, { responses: Record<string, unknown> }>>;
  const templates = Object.keys(paths).map((template) => ({
    template,
    matches: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
  }));
  // A fixed path wins over one with parameters.
  templates.sort((a, b) => a.template.split('{').length - b.template.split('{').length);
  return (method, path, { status, headers, body }) => {
    const place = `${method} ${path} answered ${status}`;
    if (headers.get('x-request-id') === null) throw new Error(`${place} without X-Request-Id`);
    const template = templates.find(({ matches }) => matches.test(path))?.template;
    const operation = template === undefined ? undefined : paths[template]![method.toLowerCase()];
    if (operation === undefined) {
      // The document describes unknown routes and methods in its text, not in its paths.
      if (status !== 404 && status !== 405) throw new Error(`${place}, which the document does not have`);
      return;
    }
    if (operation.responses[status] === undefined) throw new Error(`${place}, which the document does not foresee`);
    if (headers.get('content-type') !== 'application/json') return;
    const pointer = [
      'paths',
      template!,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      'application/json',
    ]
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const validate = ajv.getSchema(`openapi#/${pointer}/schema`);
    if (validate === undefined) throw new Error(`${place} with JSON, for which the document has no schema`);
    if (!validate(body)) throw new Error(`${place}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)}`);
  };
}

async function mailServer(mails: ContractMail[], refusal: () => string | null) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, callback) {
      const reason = refusal();
      callback(reason === null ? null : Object.assign(new Error(reason), { responseCode: 550 }));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        // Our mails are sent as they are written. A token may begin with 3D, which would decode to something else.
        const text = Buffer.concat(chunks).toString();
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, text });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return { port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
