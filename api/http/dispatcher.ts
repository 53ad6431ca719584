// Turns a request into a response: finds the operation, authenticates the caller, validates the input, runs the handler
// and serialises the result. Every failure becomes the same kind of error body.
//
// D1 Everything from the request object is read before the first await, because the HTTP library frees it then.
// D2 The body is read before the caller is authenticated and the body validated. Otherwise a client that is still
//    sending would miss the refusal.

import { randomUUID } from 'node:crypto';
import type { TSchema } from 'typebox';
import { TERMS } from '#api/plans/plan.ts';
import { assert } from '#engine/base/assert.ts';
import {
  ACCOUNT_REQUESTS_MAX,
  ACCOUNT_TURNS_MAX,
  ADDRESS_BODIES_ARRIVING_MAX,
  ADDRESS_QUESTIONS_MAX,
  ADDRESS_QUESTIONS_WAITING_MAX,
  BODIES_ARRIVING_MAX,
  REQUEST_DEADLINE_MS,
  REQUESTS_IN_PROGRESS_MAX,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { ApiError } from './api-error.ts';
import { Arrivals } from './arrivals.ts';
import { ClientAddress, limitGroup } from './client-address.ts';
import { busy, insufficientTier, quotaExceeded, tooManyAtOnce } from './common-refusals.ts';
import { sessionCookie } from './cookie.ts';
import { CrossOrigin } from './cross-origin.ts';
import { isDatabaseOutage } from './database-outage.ts';
import { documentHeaders, NO_SNIFF } from './document-headers.ts';
import { type FrontSettings, PLAIN_FRONT } from './front-settings.ts';
import type { Caller, Operation, Reply } from './operation.ts';
import { JSON_TYPE, NO_STORE, type PreparedOperation, preparedOperation } from './prepared-operation.ts';
import { parseQuery } from './query-string.ts';
import { parseBody } from './request-body.ts';
import { type RequestCounts, RequestMeter } from './request-meter.ts';
import type { QuotaState, RequestQuota } from './request-quota.ts';
import { type Route, Router } from './router.ts';
import { Shares } from './shares.ts';
import { Turns } from './turns.ts';
import type { HeaderList, UwsExchange } from './uws-exchange.ts';
import { refuseViolations } from './violations.ts';

export interface DispatcherOptions {
  readonly routes: readonly Route[];
  /**
   * The caller with this Authorization header, or how to look the caller up. Both throw an ApiError if there is none.
   */
  readonly authenticate: (authorization: string) => Caller | (() => Promise<Caller>);
  /** The caller with this session cookie; rejects with an ApiError if there is none. */
  readonly signedIn: (token: string) => Promise<Caller>;
  readonly quota: RequestQuota;
  readonly front?: FrontSettings;
  readonly log: Log;
  /** From a request's first byte to its response. */
  readonly deadlineMs?: number;
}

/** A request in progress. */
interface Passage {
  readonly exchange: UwsExchange;
  readonly requestId: string;
  readonly startedMs: number;
  /** CORS headers of its response. */
  readonly crossOrigin: HeaderList;
  accountId: string | null;
  /** The group of addresses that it comes from. */
  readonly address: string;
  stage: 'arriving' | 'in progress';
  /** Whether it counts among the account's requests in progress. */
  holdsShare: boolean;
  quota: QuotaState | null;
  routeNo: number;
  /** Set by the first response. A result that arrives after the deadline is dropped. */
  answered: boolean;
}

/** Read from the request object for operations without a bearer token (D1). */
interface Sender {
  readonly clientIp: string;
  readonly sessionToken: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const UNKNOWN_PATH = 'There is nothing at this path: /docs lists all paths, and API paths begin with /v1.';
const REQUEST_ID = /^[\w.:-]{1,64}$/;
const NO_BYTES = new Uint8Array();
const HSTS: HeaderList = ['strict-transport-security', 'max-age=31536000'];

export class Dispatcher {
  readonly #router: Router;
  readonly #prepared = new Map<Operation, PreparedOperation>();
  readonly #options: DispatcherOptions;
  readonly #log: Log;
  readonly #deadlineMs: number;
  readonly #clientAddress: ClientAddress;
  readonly #crossOrigin: CrossOrigin;
  readonly #https: boolean;
  /** Headers of every response. */
  readonly #always: HeaderList;
  readonly #meter: RequestMeter;
  readonly #unknownRouteNo: number;
  /** Requests in progress, by account. */
  readonly #accountShares = new Shares(ACCOUNT_REQUESTS_MAX);
  /** Bodies that are arriving, by address. */
  readonly #bodyShares = new Shares(ADDRESS_BODIES_ARRIVING_MAX);
  /** Questions to the database on behalf of unknown senders, by address. */
  readonly #turns = new Turns(ADDRESS_QUESTIONS_MAX, ADDRESS_QUESTIONS_WAITING_MAX);
  /** Requests for what few can have at a time, by account. */
  readonly #accountTurns = new Turns(ACCOUNT_TURNS_MAX, ACCOUNT_REQUESTS_MAX);
  readonly #arrivals = new Arrivals();
  #requests = 0;
  /** How many of them are waiting for their body. */
  #bodiesArriving = 0;
  /** How many of them were let in. */
  #inProgress = 0;
  #idleListeners: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    const { routes, log, deadlineMs = REQUEST_DEADLINE_MS, front = PLAIN_FRONT } = options;
    this.#options = options;
    this.#deadlineMs = deadlineMs;
    this.#router = new Router(routes);
    this.#log = log;
    this.#clientAddress = new ClientAddress(front.trustProxy);
    this.#crossOrigin = new CrossOrigin(front);
    this.#https = front.https;
    this.#always = front.https ? [...NO_SNIFF, ...HSTS] : NO_SNIFF;
    this.#meter = RequestMeter.of(routes);
    this.#unknownRouteNo = routes.length;
    for (const [no, route] of routes.entries()) {
      this.#prepared.set(route.operation, preparedOperation(route, no, this.#always));
    }
  }

  /** Request counts, for the metrics exporter. */
  get requests(): RequestCounts {
    return this.#meter.counts;
  }

  /** Serves one request. Never rejects. Starts synchronously, so it misses no byte of the body. */
  async serve(exchange: UwsExchange): Promise<void> {
    if (exchange.hasAmbiguousBody) {
      this.#log.info(
        { method: exchange.method, path: exchange.path },
        'hung up: the headers give the length of the body in conflicting ways',
      );
      exchange.hangUp();
      return;
    }
    const passage: Passage = {
      exchange,
      requestId: REQUEST_ID.test(exchange.givenRequestId) ? exchange.givenRequestId : randomUUID(),
      startedMs: performance.now(),
      crossOrigin: this.#crossOrigin.headersFor(exchange),
      accountId: null,
      address: limitGroup(this.#clientOf(exchange)),
      stage: 'arriving',
      holdsShare: false,
      quota: null,
      routeNo: this.#unknownRouteNo,
      answered: false,
    };
    const deadline = setTimeout(() => this.#refuse(passage, late(exchange)), this.#deadlineMs);
    this.#requests++;
    this.#meter.gauges.add('inProgress');
    try {
      await this.#run(passage);
    } catch (error) {
      await this.#letIn(passage);
      this.#refuse(passage, error);
    } finally {
      clearTimeout(deadline);
      if (passage.holdsShare) this.#accountShares.give(passage.accountId!);
      if (passage.stage === 'in progress') this.#inProgress--;
      this.#requests--;
      this.#meter.gauges.add('inProgress', -1);
      if (this.#requests === 0) for (const listener of this.#idleListeners.splice(0)) listener();
    }
  }

  /** Resolves when no request is in progress; event streams do not count. */
  idle(): Promise<void> {
    if (this.#requests === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  async #run(passage: Passage): Promise<void> {
    const { exchange, requestId } = passage;
    const match = this.#router.match(exchange.method, exchange.path);
    if (match.kind === 'unknown') throw new ApiError('not_found', UNKNOWN_PATH);
    if (match.kind === 'wrong-method') return this.#otherMethod(passage, match.allow);
    const { operation } = match.route;
    const { shape } = operation;
    const prepared = this.#prepared.get(operation)!;
    passage.routeNo = prepared.routeNo;
    if (operation.auth === 'session' || shape.signsIn === true) this.#crossOrigin.refuseForeignPages(exchange);
    const sender = operation.auth === 'bearer' ? null : this.#senderOf(exchange, operation);
    const headers = sender?.headers ?? headersRead(exchange, shape);
    const bytes = prepared.takesBody ? await this.#bodyOf(passage) : NO_BYTES;
    await this.#letIn(passage);
    if (!exchange.isWaiting) return;
    if (this.#inProgress > REQUESTS_IN_PROGRESS_MAX) throw busy();
    shape.admit?.(sender!.clientIp);
    const caller = await this.#callerOf(passage, operation, sender);
    if (caller !== null) {
      passage.holdsShare = this.#accountShares.take(caller.accountId);
      if (!passage.holdsShare) throw tooManyAtOnce();
    }
    if (caller !== null && shape.included?.(TERMS[caller.plan]) === false)
      throw insufficientTier(caller.plan, shape.included);
    const query = checkedQuery(exchange.query, shape.query, prepared);
    let body: unknown;
    if (prepared.checkBody !== null) {
      body = parseBody(bytes, exchange.contentType, shape.form === true);
      refuseViolations('invalid_body', prepared.checkBody(body));
    }
    const request = { requestId, params: match.params, query: query as never, body: body as never };
    const handle = () => handled(operation, { ...request, headers }, caller, sender, bytes);
    this.#respond(passage, prepared, await (shape.takesTurns === true ? this.#inTurn(passage, handle) : handle()));
  }

  /** Waits for its turn among the requests that have arrived. Does nothing for one that was let in. */
  async #letIn(passage: Passage): Promise<void> {
    if (passage.stage === 'in progress') return;
    await this.#arrivals.enter(passage.address);
    passage.stage = 'in progress';
    this.#inProgress++;
  }

  async #callerOf(passage: Passage, operation: Operation, sender: Sender | null): Promise<Caller | null> {
    const { authenticate, signedIn, quota } = this.#options;
    switch (operation.auth) {
      case 'public':
        return null;
      case 'session': {
        const token = sender?.sessionToken ?? null;
        if (token === null) throw new ApiError('not_signed_in');
        const caller = await this.#inTurn(passage, () => signedIn(token));
        passage.accountId = caller.accountId;
        return caller;
      }
      case 'bearer': {
        const known = authenticate(passage.exchange.authorization);
        const caller = typeof known === 'function' ? await this.#inTurn(passage, known) : known;
        passage.accountId = caller.accountId;
        passage.quota = quota.take(caller);
        if (!passage.quota.exceeded) return caller;
        throw quotaExceeded(passage.quota);
      }
    }
  }

  /**
   * Requests with an incomplete body have bounds of their own, in all and by address, so that slow senders can crowd out
   * neither complete requests nor those of others.
   */
  async #bodyOf(passage: Passage): Promise<Uint8Array> {
    const { exchange, address } = passage;
    if (this.#bodiesArriving >= BODIES_ARRIVING_MAX || !this.#bodyShares.take(address)) throw busy();
    this.#bodiesArriving++;
    try {
      return await exchange.readBody();
    } finally {
      this.#bodiesArriving--;
      this.#bodyShares.give(address);
    }
  }

  /** Does work that few can have at a time: those of one account, or of one address while it is unknown, take turns. */
  #inTurn<Result>(passage: Passage, work: () => Promise<Result>): Promise<Result> {
    const { accountId, address } = passage;
    const result = accountId === null ? this.#turns.run(address, work) : this.#accountTurns.run(accountId, work);
    if (result === null) throw busy();
    return result;
  }

  #senderOf(exchange: UwsExchange, { shape }: Operation): Sender {
    return {
      clientIp: this.#clientOf(exchange),
      sessionToken: sessionCookie(exchange.header('cookie'), this.#https),
      headers: headersRead(exchange, shape),
    };
  }

  #clientOf(exchange: UwsExchange): string {
    const forwarded = exchange.header('x-forwarded-for') === '' ? '' : exchange.headerLines('x-forwarded-for');
    return this.#clientAddress.of(exchange.remoteAddress(), forwarded);
  }

  async #otherMethod(passage: Passage, methods: readonly string[]): Promise<void> {
    const { exchange } = passage;
    const allow = methods.join(', ');
    if (exchange.method !== 'OPTIONS')
      throw new ApiError('method_not_allowed', `This path supports ${allow}.`, { allow });
    const preflight = this.#crossOrigin.preflight(exchange, allow);
    await this.#letIn(passage);
    exchange.respond(204, [...this.#headersOf(passage), 'allow', allow, ...preflight], '');
    this.#report(passage, 204);
  }

  #respond(passage: Passage, prepared: PreparedOperation, reply: Reply<unknown>): void {
    const { exchange } = passage;
    switch (reply.kind) {
      case 'text':
        exchange.respond(200, this.#headersOf(passage, prepared.headers), reply.text);
        break;
      case 'json': {
        assert(prepared.statuses.includes(reply.status), `the operation declares the status ${reply.status}`);
        const headers = this.#headersOf(passage, prepared.headers);
        for (const [name, value] of Object.entries(reply.headers)) headers.push(name, value);
        exchange.respond(reply.status, headers, prepared.serialise(reply.body));
        break;
      }
      case 'document':
        exchange.respond(200, [...this.#headersOf(passage), ...documentHeaders(reply)], reply.content);
        break;
      case 'unchanged':
        exchange.respond(304, [...this.#headersOf(passage), 'etag', reply.etag, 'cache-control', 'no-cache'], '');
        break;
      case 'nothing':
        exchange.respond(204, this.#headersOf(passage), '');
        break;
      case 'events':
        this.#meter.gauges.add('streams');
        reply.open(
          exchange.respondWithEvents([...this.#headersOf(passage), ...EVENT_STREAM], () =>
            this.#meter.gauges.add('streams', -1),
          ),
        );
        break;
    }
    this.#report(passage, statusOf(reply));
  }

  #refuse(passage: Passage, error: unknown): void {
    const refusal = this.#asRefusal(error, passage);
    const headers = this.#headersOf(passage, [...JSON_TYPE, ...NO_STORE, ...this.#always]);
    for (const [name, value] of Object.entries(refusal.headers)) headers.push(name, value);
    passage.exchange.respond(refusal.statusCode, headers, JSON.stringify(refusal.body));
    this.#report(passage, refusal.statusCode, refusal.code);
  }

  /** Returns a new list: `own`, then the headers that depend on the request. */
  #headersOf({ requestId, crossOrigin, quota }: Passage, own: HeaderList = this.#always): string[] {
    const headers = [...own, 'x-request-id', requestId];
    if (crossOrigin.length > 0) headers.push(...crossOrigin);
    if (quota !== null) {
      headers.push('x-ratelimit-limit', String(quota.limit), 'x-ratelimit-remaining', String(quota.remaining));
      headers.push('x-ratelimit-reset', String(quota.resetS));
    }
    return headers;
  }

  /** Counts the request, and logs changes and refusals. Successful reads are logged only at level debug. */
  #report(passage: Passage, status: number, code?: string): void {
    if (passage.answered) return;
    passage.answered = true;
    const { exchange, requestId, accountId, startedMs, routeNo } = passage;
    const tookMs = performance.now() - startedMs;
    this.#meter.answered(routeNo, status, tookMs);
    const reading = status < 400 && (exchange.method === 'GET' || exchange.method === 'HEAD');
    if (reading && this.#log.debug === undefined) return;
    // The query is left out: the one in a verification link holds a secret.
    const { method, path } = exchange;
    const ms = Math.round(tookMs * 10) / 10;
    const details = { requestId, method, path, status, ms, ...(accountId !== null && { accountId }) };
    if (reading) this.#log.debug!(details, 'answered');
    else this.#log.info(code === undefined ? details : { ...details, code }, 'answered');
  }

  #asRefusal(error: unknown, { exchange: { method, path }, requestId }: Passage): ApiError {
    if (error instanceof ApiError) return error;
    if (isDatabaseOutage(error)) {
      this.#log.warn({ requestId, method, path, err: error }, 'the database cannot be reached');
      return busy();
    }
    this.#log.error({ requestId, method, path, err: error }, 'a request failed unexpectedly');
    return new ApiError('internal_error');
  }
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The headers that the operation reads. Call before the first await (D1). */
function headersRead(exchange: UwsExchange, { reads }: Operation['shape']): Readonly<Record<string, string>> {
  if (reads === undefined) return NO_HEADERS;
  return Object.fromEntries(reads.map((name) => [name, exchange.header(name)]));
}

function statusOf(reply: Reply<unknown>): number {
  if (reply.kind === 'nothing') return 204;
  if (reply.kind === 'unchanged') return 304;
  return reply.kind === 'json' ? reply.status : 200;
}

const EVENT_STREAM: HeaderList = [
  ...['content-type', 'text/event-stream', 'cache-control', 'no-store'],
  // Tells proxies not to buffer the response, which would delay a live stream to its end.
  ...['x-accel-buffering', 'no'],
];

function handled(
  operation: Operation,
  request: {
    readonly requestId: string;
    readonly params: Readonly<Record<string, string>>;
    readonly query: never;
    readonly body: never;
    readonly headers: Readonly<Record<string, string>>;
  },
  caller: Caller | null,
  sender: Sender | null,
  rawBody: Uint8Array,
): Promise<Reply<unknown>> {
  switch (operation.auth) {
    case 'bearer':
      return operation.handle({ ...request, caller: caller! });
    case 'session':
      return operation.handle({ ...request, caller: caller!, sessionToken: sender!.sessionToken! });
    case 'public':
      return operation.handle({ ...request, clientIp: sender!.clientIp, rawBody });
  }
}

function checkedQuery(
  text: string,
  schema: TSchema | undefined,
  { strictQuery, checkQuery }: PreparedOperation,
): Record<string, unknown> {
  if (text === '' && checkQuery === null) return {};
  const { values, violations } = parseQuery(text, schema, strictQuery);
  refuseViolations('invalid_query', [...violations, ...(checkQuery?.(values) ?? [])]);
  return values;
}

/** The error of a missed deadline: the client's if its body is incomplete, otherwise ours. */
function late(exchange: UwsExchange): ApiError {
  return exchange.bodyUnread ? new ApiError('request_timeout') : busy();
}
