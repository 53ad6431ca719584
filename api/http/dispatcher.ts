// From a request to its answer: find the operation, know the caller, check what was sent, run it, serialise; and every
// way in which that can fail, as one kind of error body.

import { randomUUID } from 'node:crypto';
import fastJson from 'fast-json-stringify';
import type { TSchema } from 'typebox';
import { REQUEST_DEADLINE_MS, REQUESTS_IN_PROGRESS_MAX } from '#engine/limits.ts';
import type { Log } from '#engine/log.ts';
import { ApiError } from './api-error.ts';
import { isDatabaseOutage } from './database-outage.ts';
import type { Caller, Operation, Reply } from './operation.ts';
import { parseQuery } from './query-string.ts';
import { parseBody } from './request-body.ts';
import { type Route, Router } from './router.ts';
import { type SchemaCheck, schemaCheck } from './schema-check.ts';
import type { UwsExchange } from './uws-exchange.ts';
import { refuseViolations } from './violations.ts';

export interface DispatcherOptions {
  readonly routes: readonly Route[];
  /** Who sends this Authorization header; refuses with an ApiError. */
  readonly authenticate: (authorization: string) => Promise<Caller>;
  readonly log: Log;
  /** From a request's first byte to its answer. */
  readonly deadlineMs?: number;
}

interface Prepared {
  readonly checkBody: SchemaCheck | null;
  readonly checkQuery: SchemaCheck | null;
  readonly serialise: (body: unknown) => string;
}

const REQUEST_ID = /^[\w.:-]{1,64}$/;
const NOBODY: Caller = { accountId: '', plan: 'free' };

export class Dispatcher {
  readonly #router: Router;
  readonly #prepared = new Map<Operation, Prepared>();
  readonly #authenticate: DispatcherOptions['authenticate'];
  readonly #log: Log;
  readonly #deadlineMs: number;
  #inProgress = 0;
  #idleListeners: (() => void)[] = [];

  constructor({ routes, authenticate, log, deadlineMs = REQUEST_DEADLINE_MS }: DispatcherOptions) {
    this.#deadlineMs = deadlineMs;
    this.#router = new Router(routes);
    this.#authenticate = authenticate;
    this.#log = log;
    for (const { operation } of routes) this.#prepared.set(operation, prepare(operation));
  }

  /** Serves one request. Starts synchronously, so that no byte of a body is missed; never rejects. */
  async serve(exchange: UwsExchange): Promise<void> {
    const requestId = REQUEST_ID.test(exchange.givenRequestId) ? exchange.givenRequestId : randomUUID();
    const deadline = setTimeout(() => this.#refuse(exchange, requestId, late(exchange)), this.#deadlineMs);
    this.#inProgress++;
    try {
      await this.#run(exchange, requestId);
    } catch (error) {
      this.#refuse(exchange, requestId, error);
    } finally {
      clearTimeout(deadline);
      this.#inProgress--;
      if (this.#inProgress === 0) for (const listener of this.#idleListeners.splice(0)) listener();
    }
  }

  /** Resolves when no request is in progress; event streams do not count. */
  idle(): Promise<void> {
    if (this.#inProgress === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  async #run(exchange: UwsExchange, requestId: string): Promise<void> {
    if (this.#inProgress > REQUESTS_IN_PROGRESS_MAX)
      throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
    const match = this.#router.match(exchange.method, exchange.path);
    if (match.kind === 'unknown') throw new ApiError('not_found');
    if (match.kind === 'wrong-method') {
      const allow = match.allow.join(', ');
      if (exchange.method === 'OPTIONS') return exchange.answer(204, { 'x-request-id': requestId, allow }, '');
      throw new ApiError('method_not_allowed', undefined, { allow });
    }
    const { operation } = match.route;
    const { shape } = operation;
    const prepared = this.#prepared.get(operation)!;
    // The body comes whether or not the caller is known, so it is read first and judged afterwards.
    const bytes = prepared.checkBody === null ? null : await exchange.readBody();
    const caller = operation.auth === 'bearer' ? await this.#authenticate(exchange.authorization) : NOBODY;
    const query = shape.query === undefined ? {} : checkedQuery(exchange.query, shape.query, prepared.checkQuery!);
    const body = bytes === null ? undefined : parseBody(bytes, exchange.contentType, shape.form === true);
    if (prepared.checkBody !== null) refuseViolations('invalid_body', prepared.checkBody(body));
    const answer = await operation.handle({
      requestId,
      params: match.params,
      query: query as never,
      body: body as never,
      authorization: exchange.authorization,
      caller,
    });
    this.#send(exchange, requestId, answer, prepared, shape.confidential === true);
  }

  #send(exchange: UwsExchange, requestId: string, answer: Reply<unknown>, to: Prepared, confidential: boolean): void {
    if (answer.kind === 'json') {
      const headers = { 'content-type': 'application/json', 'x-request-id': requestId };
      const text = to.serialise(answer.body);
      exchange.answer(answer.status, confidential ? { ...headers, 'cache-control': 'no-store' } : headers, text);
      return;
    }
    answer.open(
      exchange.answerWithEvents({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        // Proxies that collect answers before they pass them on would turn a live stream into one late lump.
        'x-accel-buffering': 'no',
        'x-request-id': requestId,
      }),
    );
  }

  #refuse(exchange: UwsExchange, requestId: string, error: unknown): void {
    const refusal = this.#asRefusal(error, exchange, requestId);
    const headers = { 'content-type': 'application/json', 'x-request-id': requestId, ...refusal.headers };
    exchange.answer(refusal.statusCode, headers, JSON.stringify(refusal.body));
  }

  #asRefusal(error: unknown, { method, path }: UwsExchange, requestId: string): ApiError {
    if (error instanceof ApiError) return error;
    if (isDatabaseOutage(error)) {
      this.#log.warn({ requestId, method, path, err: error }, 'the database cannot be reached');
      return new ApiError('unavailable', undefined, { 'retry-after': '1' });
    }
    this.#log.error({ requestId, method, path, err: error }, 'a request failed unexpectedly');
    return new ApiError('internal_error');
  }
}

function prepare({ shape }: Operation): Prepared {
  return {
    checkBody: shape.body === undefined ? null : schemaCheck(shape.body, 'the body'),
    checkQuery: shape.query === undefined ? null : schemaCheck(shape.query, 'the query'),
    serialise: fastJson(shape.answer as Parameters<typeof fastJson>[0]),
  };
}

function checkedQuery(text: string, schema: TSchema, check: SchemaCheck): Record<string, unknown> {
  const { values, violations } = parseQuery(text, schema);
  refuseViolations('invalid_query', [...violations, ...check(values)]);
  return values;
}

/** Past the deadline it is the client's fault when its body has not come, else ours. */
function late(exchange: UwsExchange): ApiError {
  return exchange.bodyUnread
    ? new ApiError('request_timeout')
    : new ApiError('unavailable', undefined, { 'retry-after': '1' });
}
