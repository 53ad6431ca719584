// Turns a request into a response: finds the operation, authenticates the caller, validates the input, runs the handler
// and serialises the result. Every failure becomes the same kind of error body.
//
// D1 A request begins to receive its body when it arrives, or bytes would be missed. Everything else waits until it is let
//    in: what thousands of requests need at the same moment, all others wait for.
// D2 The body is read before the caller is authenticated and the body validated. Otherwise a client that is still
//    sending would miss the refusal.
// D3 Refusals that a flood gets are paced by address, after the request has given back everything that others need. Of a
//    request that waits for its refusal nothing is kept but what that needs: the garbage collector copies what waits.
// D4 A request of an account is answered at the account's home, and one that counts by address at the home of its network.
//    In a cluster that may be another node, which gets the request and sends the answer. The quota is counted there.

import { randomUUID } from 'node:crypto';
import type { TSchema } from 'typebox';
import { TERMS } from '#api/plans/plan.ts';
import { assert } from '#engine/base/assert.ts';
import { systemClock, type TimerClock } from '#engine/base/clock.ts';
import {
  ACCOUNT_REQUESTS_MAX,
  ACCOUNT_TURNS_MAX,
  ADDRESS_BODIES_ARRIVING_MAX,
  ADDRESS_QUESTIONS_MAX,
  ADDRESS_QUESTIONS_WAITING_MAX,
  ADDRESS_REQUESTS_WAITING_MAX,
  BODIES_ARRIVING_MAX,
  HOME_LOOK_MS,
  HOME_WAIT_MS_MAX,
  REQUEST_DEADLINE_MS,
  REQUESTS_IN_PROGRESS_MAX,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { ApiError } from './api-error.ts';
import { Arrivals } from './arrivals.ts';
import { ClientAddress, limitGroup, networkOf } from './client-address.ts';
import { busy, insufficientTier, quotaExceeded, tooManyAtOnce } from './common-refusals.ts';
import { sessionCookie } from './cookie.ts';
import { CrossOrigin } from './cross-origin.ts';
import { isDatabaseOutage } from './database-outage.ts';
import { documentHeaders, NO_SNIFF } from './document-headers.ts';
import type { Exchange, HeaderList } from './exchange.ts';
import { type FrontSettings, PLAIN_FRONT } from './front-settings.ts';
import { ALONE, type Forwarder, type Homes, MISDIRECTED } from './homes.ts';
import type { Authenticate, Caller, Operation, Reply } from './operation.ts';
import { JSON_TYPE, NO_STORE, type PreparedOperation, preparedOperation } from './prepared-operation.ts';
import { parseQuery } from './query-string.ts';
import { RefusalPace } from './refusal-pace.ts';
import { parseBody } from './request-body.ts';
import { RequestMeter } from './request-meter.ts';
import type { QuotaState, RequestQuota } from './request-quota.ts';
import { type Match, type Route, Router } from './router.ts';
import { Shares } from './shares.ts';
import { Turns } from './turns.ts';
import { refuseViolations } from './violations.ts';

export interface DispatcherOptions {
  readonly routes: readonly Route[];
  /**
   * The caller with this Authorization header, or how to look the caller up. Both throw an ApiError if there is none.
   */
  readonly authenticate: Authenticate;
  /** The caller with this session cookie; rejects with an ApiError if there is none. */
  readonly signedIn: (token: string) => Promise<Caller>;
  readonly quota: RequestQuota;
  readonly front?: FrontSettings;
  /** Default: everybody is at home here. */
  readonly cluster?: { readonly homes: Homes; readonly forwarder: Forwarder };
  readonly log: Log;
  /** From a request's first byte to its response. */
  readonly deadlineMs?: number;
  /** Of crowds and of refusals that wait. Default: the machine's. */
  readonly clock?: Pick<TimerClock, 'nowMs' | 'schedule'>;
}

/** A request that has arrived. */
interface Passage {
  readonly exchange: Exchange;
  readonly startedMs: number;
  readonly clientIp: string;
  /** The group of addresses that it comes from. */
  readonly address: string;
  readonly match: Match;
  /** The complete body, or why there is none; null while it arrives. */
  body: Uint8Array | ApiError | null;
  deadline: NodeJS.Timeout | null;
  /** Empty until it is let in. */
  requestId: string;
  accountId: string | null;
  /** Whether it counts among the account's requests in progress. */
  holdsShare: boolean;
  /** The account whose home answers it here; null: it needs none, or has none yet. */
  homeOf: string | null;
  quota: QuotaState | null;
  /** Why it waits for a refusal; null if it does not. */
  refusal: ApiError | null;
  /** Set by the first response. A result that arrives after the deadline is dropped. */
  answered: boolean;
}

/** A request that is refused unread, until it is its turn. */
interface TurnedAway {
  readonly exchange: Exchange;
  readonly startedMs: number;
  readonly clientIp: string;
}

/** Who sends a request without a bearer token. */
interface Sender {
  readonly clientIp: string;
  readonly sessionToken: string | null;
}

const UNKNOWN_PATH = 'There is nothing at this path: /docs lists all paths, and API paths begin with /v1.';
const REQUEST_ID = /^[\w.:-]{1,64}$/;
const NO_BYTES = new Uint8Array();
/** Statuses of refusals that floods get: without the right credentials, or too many at once. */
const PACED: ReadonlySet<number> = new Set([401, 429, 503]);
/** What a refusal depends on. */
const REFUSAL_READS: ReadonlySet<string> = new Set(['origin', 'x-request-id']);
const HSTS: HeaderList = ['strict-transport-security', 'max-age=31536000'];

export class Dispatcher {
  readonly meter: RequestMeter;
  readonly #router: Router;
  readonly #prepared = new Map<Operation, PreparedOperation>();
  readonly #options: DispatcherOptions;
  readonly #log: Log;
  readonly #deadlineMs: number;
  readonly #clientAddress: ClientAddress;
  readonly #crossOrigin: CrossOrigin;
  readonly #https: boolean;
  readonly #homes: Homes;
  /** Headers of every response. */
  readonly #always: HeaderList;
  readonly #unknownRouteNo: number;
  /** Requests in progress, by account. */
  readonly #accountShares = new Shares(ACCOUNT_REQUESTS_MAX);
  /** Bodies that are arriving, by address. */
  readonly #bodyShares = new Shares(ADDRESS_BODIES_ARRIVING_MAX);
  /** Questions to the database on behalf of unknown senders, by address. */
  readonly #turns = new Turns(ADDRESS_QUESTIONS_MAX, ADDRESS_QUESTIONS_WAITING_MAX);
  /** Requests for what few can have at a time, by account. */
  readonly #accountTurns = new Turns(ACCOUNT_TURNS_MAX, ACCOUNT_REQUESTS_MAX);
  readonly #arrivals: Arrivals<Passage>;
  readonly #refusals: RefusalPace<Passage | TurnedAway>;
  #requests = 0;
  /** How many of them are waiting for their body. */
  #bodiesArriving = 0;
  /** How many of them were let in. */
  #inProgress = 0;
  #idleListeners: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    const { routes, log, deadlineMs = REQUEST_DEADLINE_MS, front = PLAIN_FRONT, clock = systemClock } = options;
    this.#options = options;
    this.#arrivals = new Arrivals((passage) => void this.#letIn(passage), clock);
    this.#refusals = new RefusalPace((refused) => this.#refuseNow(refused), clock);
    this.#deadlineMs = deadlineMs;
    this.#router = new Router(routes);
    this.#log = log;
    this.#clientAddress = new ClientAddress(front.trustProxy);
    this.#crossOrigin = new CrossOrigin(front);
    this.#https = front.https;
    this.#homes = options.cluster?.homes ?? ALONE;
    this.#always = front.https ? [...NO_SNIFF, ...HSTS] : NO_SNIFF;
    this.meter = RequestMeter.of(routes);
    this.#unknownRouteNo = routes.length;
    for (const [no, route] of routes.entries()) {
      this.#prepared.set(route.operation, preparedOperation(route, no, this.#always));
    }
  }

  /** Serves one request. Call before the request callback returns (D1). */
  serve(exchange: Exchange): void {
    if (exchange.hasAmbiguousBody) {
      this.#log.info(
        { method: exchange.method, path: exchange.path },
        'hung up: the headers give the length of the body in conflicting ways',
      );
      exchange.hangUp();
      return;
    }
    const startedMs = performance.now();
    const clientIp = this.#clientOf(exchange);
    const address = limitGroup(clientIp);
    if (this.#arrivals.waiting(address) >= ADDRESS_REQUESTS_WAITING_MAX) {
      this.#turnAway(exchange, startedMs, clientIp, address);
      return;
    }
    const passage = this.#passageOf(exchange, startedMs, clientIp, address);
    const takesBody = this.#preparedFor(passage)?.takesBody === true;
    if (takesBody && (this.#bodiesArriving >= BODIES_ARRIVING_MAX || !this.#bodyShares.take(address))) {
      this.#turnAway(exchange, startedMs, clientIp, address);
      return;
    }
    this.#requests++;
    this.meter.gauges.add('inProgress');
    if (takesBody) this.#receiveBody(passage);
    else this.#arrivals.arrive(passage.address, passage);
  }

  /** The group of addresses whose connections count together; null for a trusted proxy, which counts for none. */
  connectionGroupOf(peer: string): string | null {
    return this.#clientAddress.trusts(peer) ? null : limitGroup(this.#clientAddress.of(peer, ''));
  }

  /** Resolves when no request is in progress; event streams do not count. */
  idle(): Promise<void> {
    this.#refusals.hurry();
    if (this.#requests === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #passageOf(exchange: Exchange, startedMs: number, clientIp: string, address: string): Passage {
    return {
      exchange,
      startedMs,
      clientIp,
      address,
      match: this.#router.match(exchange.method, exchange.path),
      body: NO_BYTES,
      deadline: null,
      requestId: '',
      accountId: null,
      holdsShare: false,
      homeOf: null,
      quota: null,
      refusal: null,
      answered: false,
    };
  }

  /**
   * Refuses a request unread, so it never counts as in progress: of an address of which too many wait, or with a body where
   * too many are incomplete. Those have bounds of their own, in all and by address, so that slow senders can crowd out
   * neither complete requests nor those of others.
   */
  #turnAway(exchange: Exchange, startedMs: number, clientIp: string, address: string): void {
    exchange.keepHeaders(REFUSAL_READS);
    this.#refusals.answer(address, { exchange, startedMs, clientIp });
  }

  /** `serve` has taken a share for it. */
  #receiveBody(passage: Passage): void {
    const { exchange, address } = passage;
    this.#bodiesArriving++;
    passage.body = null;
    passage.deadline = setTimeout(() => this.#tooLate(passage), this.#deadlineMs);
    exchange.receiveBody((body) => {
      this.#bodiesArriving--;
      this.#bodyShares.give(address);
      passage.body = body;
      this.#arrivals.arrive(address, passage);
    });
  }

  /** A deadline was missed: by the client if its body is incomplete, otherwise by us. */
  #tooLate(passage: Passage): void {
    if (passage.body === null) passage.exchange.giveUpBody();
    // It waits for its turn, with its body: refused as soon as it is let in.
    else if (passage.requestId === '') passage.deadline = null;
    else this.#refuse(passage, busy());
  }

  /** Begins what must not be done for each of a burst of requests while they arrive (D1). Never rejects. */
  async #letIn(passage: Passage): Promise<void> {
    const { exchange, startedMs } = passage;
    passage.requestId = requestIdOf(exchange);
    const leftMs = startedMs + this.#deadlineMs - performance.now();
    passage.deadline ??= setTimeout(() => this.#tooLate(passage), leftMs);
    this.#inProgress++;
    let refusal: unknown = null;
    try {
      if (exchange.isWaiting && !passage.answered) await this.#run(passage);
    } catch (error) {
      refusal = error;
    }
    clearTimeout(passage.deadline);
    if (passage.holdsShare) this.#accountShares.give(passage.accountId!);
    if (passage.homeOf !== null) this.#homes.ended(passage.homeOf);
    this.#inProgress--;
    this.#requests--;
    this.meter.gauges.add('inProgress', -1);
    if (refusal !== null) this.#refuseInTime(passage, refusal);
    if (this.#requests === 0) for (const listener of this.#idleListeners.splice(0)) listener();
  }

  async #run(passage: Passage): Promise<void> {
    const { exchange, requestId, match, body: bytes } = passage;
    if (match.kind === 'unknown') throw new ApiError('not_found', UNKNOWN_PATH);
    if (match.kind === 'wrong-method') return this.#otherMethod(passage, match.allow);
    if (this.#inProgress > REQUESTS_IN_PROGRESS_MAX) throw busy();
    const { operation } = match.route;
    const { shape } = operation;
    const prepared = this.#prepared.get(operation)!;
    if (operation.auth === 'session' || shape.signsIn === true) this.#crossOrigin.refuseForeignPages(exchange);
    if (bytes instanceof ApiError) throw bytes;
    assert(bytes !== null, 'a request is let in when its body is complete');
    if (countsSenders(operation) && !(await this.#isAtHome(passage, networkOf(passage.clientIp), null, bytes))) return;
    if (shape.admit !== undefined) await shape.admit(passage.clientIp);
    const sender = operation.auth === 'bearer' ? null : this.#senderOf(passage);
    const headers = headersRead(exchange, shape);
    const caller = await this.#callerOf(passage, operation, sender);
    if (caller !== null) {
      const { accountId } = caller;
      if (this.#homes.homeOf(accountId).kind !== 'here') {
        this.#takeShare(passage, accountId);
        if (!(await this.#isAtHome(passage, accountId, caller, bytes))) return;
      }
      passage.homeOf = accountId;
      this.#homes.begun(accountId);
      if (operation.auth === 'bearer') this.#countForQuota(passage, caller);
      if (!passage.holdsShare) this.#takeShare(passage, accountId);
    }
    if (caller !== null && shape.included?.(TERMS[caller.plan]) === false)
      throw insufficientTier(caller.plan, shape.included);
    const query = checkedQuery(exchange.query, shape.query, prepared);
    let body: unknown;
    if (prepared.checkBody !== null) {
      body = parseBody(bytes, exchange.header('content-type'), shape.form === true);
      refuseViolations('invalid_body', prepared.checkBody(body));
    }
    const request = { requestId, params: match.params, query: query as never, body: body as never, headers };
    const handle = () => handled(operation, request, caller, sender, { bytes, isAwaited: () => exchange.isWaiting });
    this.#respond(passage, prepared, await (shape.takesTurns === true ? this.#inTurn(passage, handle) : handle()));
  }

  async #callerOf(passage: Passage, operation: Operation, sender: Sender | null): Promise<Caller | null> {
    const { authenticate, signedIn } = this.#options;
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
        const known = authenticate(passage.exchange.header('authorization'));
        const caller = typeof known === 'function' ? await this.#inTurn(passage, known) : known;
        passage.accountId = caller.accountId;
        return caller;
      }
    }
  }

  #takeShare(passage: Passage, accountId: string): void {
    passage.holdsShare = this.#accountShares.take(accountId);
    if (!passage.holdsShare) throw tooManyAtOnce();
  }

  #countForQuota(passage: Passage, caller: Caller): void {
    passage.quota = this.#options.quota.take(caller);
    if (passage.quota.exceeded) throw quotaExceeded(passage.quota);
  }

  /**
   * Whether the home of this key is here. If it is another node, passes the request on and answers it. A home that is just
   * changing is waited for (D4).
   */
  async #isAtHome(passage: Passage, key: string, caller: Caller | null, body: Uint8Array): Promise<boolean> {
    const { exchange, clientIp, requestId } = passage;
    const untilMs = performance.now() + HOME_WAIT_MS_MAX;
    for (;;) {
      const home = this.#homes.homeOf(key);
      if (home.kind === 'here') return true;
      if (exchange.isPassedOn) {
        exchange.respond(MISDIRECTED, this.#headersOf(passage), '');
        this.#report(passage, MISDIRECTED);
        return false;
      }
      if (home.kind === 'peer') {
        const isStream = passage.match.kind === 'found' && passage.match.route.operation.shape.events === true;
        const passed = { exchange, key, caller, isStream, clientIp, requestId, body };
        const passing = await this.#options.cluster!.forwarder.pass(home.node, passed);
        if (passing.kind === 'answered') {
          this.#report(passage, passing.status);
          return false;
        }
      }
      if (performance.now() > untilMs || !exchange.isWaiting || passage.answered) throw busy();
      await systemClock.sleep(HOME_LOOK_MS);
    }
  }

  /** Does work that few can have at a time: those of one account, or of one address while it is unknown, take turns. */
  #inTurn<Result>(passage: Passage, work: () => Promise<Result>): Promise<Result> {
    const { accountId, address } = passage;
    // What nobody waits for any more is not begun: its turn is the next one's.
    const begin = async () => {
      if (!passage.exchange.isWaiting) throw busy();
      return await work();
    };
    const result = accountId === null ? this.#turns.run(address, begin) : this.#accountTurns.run(accountId, begin);
    if (result === null) throw busy();
    return result;
  }

  #senderOf({ exchange, clientIp }: Passage): Sender {
    return { clientIp, sessionToken: sessionCookie(exchange.header('cookie'), this.#https) };
  }

  #clientOf(exchange: Exchange): string {
    const forwarded = exchange.header('x-forwarded-for') === '' ? '' : exchange.headerLines('x-forwarded-for');
    return this.#clientAddress.of(exchange.remoteAddress(), forwarded);
  }

  #otherMethod(passage: Passage, methods: readonly string[]): void {
    const { exchange } = passage;
    const allow = methods.join(', ');
    if (exchange.method !== 'OPTIONS')
      throw new ApiError('method_not_allowed', `This path supports ${allow}.`, { allow });
    const preflight = this.#crossOrigin.preflight(exchange, allow);
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
        this.meter.gauges.add('streams');
        reply.open(
          exchange.respondWithEvents([...this.#headersOf(passage), ...EVENT_STREAM], () =>
            this.meter.gauges.add('streams', -1),
          ),
        );
        break;
    }
    this.#report(passage, statusOf(reply));
  }

  #preparedFor({ match }: Passage): PreparedOperation | null {
    return match.kind === 'found' ? this.#prepared.get(match.route.operation)! : null;
  }

  /** Refuses a request now or, if it is one of a flood, when it is its address's turn (D3). */
  #refuseInTime(passage: Passage, error: unknown): void {
    const refusal = this.#asRefusal(error, passage);
    if (!PACED.has(refusal.statusCode)) {
      this.#refuse(passage, refusal);
      return;
    }
    passage.exchange.keepHeaders(REFUSAL_READS);
    passage.body = NO_BYTES;
    passage.refusal = refusal;
    this.#refusals.answer(passage.address, passage);
  }

  #refuseNow(refused: Passage | TurnedAway): void {
    if ('refusal' in refused) {
      this.#refuse(refused, refused.refusal);
      return;
    }
    const { exchange, startedMs, clientIp } = refused;
    const passage = this.#passageOf(exchange, startedMs, clientIp, limitGroup(clientIp));
    passage.requestId = requestIdOf(exchange);
    this.#refuse(passage, busy());
  }

  #refuse(passage: Passage, error: unknown): void {
    const refusal = this.#asRefusal(error, passage);
    const headers = this.#headersOf(passage, [...JSON_TYPE, ...NO_STORE, ...this.#always]);
    for (const [name, value] of Object.entries(refusal.headers)) headers.push(name, value);
    passage.exchange.respond(refusal.statusCode, headers, JSON.stringify(refusal.body));
    this.#report(passage, refusal.statusCode, refusal.code);
  }

  /** Returns a new list: `own`, then the headers that depend on the request. */
  #headersOf({ exchange, requestId, quota }: Passage, own: HeaderList = this.#always): string[] {
    const headers = [...own, 'x-request-id', requestId, ...this.#crossOrigin.headersFor(exchange)];
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
    const { exchange, requestId, accountId, startedMs } = passage;
    const tookMs = performance.now() - startedMs;
    this.meter.answered(this.#preparedFor(passage)?.routeNo ?? this.#unknownRouteNo, status, tookMs);
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

function countsSenders({ shape }: Operation): boolean {
  return shape.admit !== undefined || shape.countsSenders === true;
}

/** The client's own id of a request, or a new one. */
function requestIdOf(exchange: Exchange): string {
  const given = exchange.header('x-request-id');
  return REQUEST_ID.test(given) ? given : randomUUID();
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The headers that the operation reads. */
function headersRead(exchange: Exchange, { reads }: Operation['shape']): Readonly<Record<string, string>> {
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
  { bytes, isAwaited }: { readonly bytes: Uint8Array; readonly isAwaited: () => boolean },
): Promise<Reply<unknown>> {
  switch (operation.auth) {
    case 'bearer':
      return operation.handle({ ...request, caller: caller! });
    case 'session':
      return operation.handle({ ...request, caller: caller!, sessionToken: sender!.sessionToken! });
    case 'public':
      return operation.handle({ ...request, clientIp: sender!.clientIp, rawBody: bytes, isAwaited });
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
