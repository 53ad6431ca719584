// One operation of the API: its authentication, its schemas and its handler. The handler's types, the validation, the
// serialiser and the OpenAPI document all come from the same schemas, so they cannot disagree.

import type { Static, TSchema } from 'typebox';
import type { Plan, PlanTerms } from '#api/plans/plan.ts';
import type { RefusalCode } from './api-error.ts';
import type { EventChannel } from './event-channel.ts';

/** An authenticated account, by bearer token or session cookie. */
export interface Caller {
  readonly accountId: string;
  readonly plan: Plan;
  /** The request comes from a page of the console, with a token that its sign-in was given. */
  readonly fromConsole?: true;
}

/** The caller with this Authorization header; see TokenAuthority. */
export type Authenticate = (authorization: string) => Caller | (() => Promise<Caller>);

interface AnyRequest<Body, Query> {
  readonly requestId: string;
  /** From the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

export interface BearerRequest<Body, Query> extends AnyRequest<Body, Query> {
  readonly caller: Caller;
  /** The headers listed in `reads`; empty if not sent. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface PublicRequest<Body, Query> extends AnyRequest<Body, Query> {
  /** The client's address as text; behind trusted proxies, the one that they report. */
  readonly clientIp: string;
  /** The body as received; empty for operations without one. */
  readonly rawBody: Uint8Array;
  /** Whether the client still waits for the response: expensive work that has not begun need not be done otherwise. */
  readonly isAwaited: () => boolean;
  /** The headers listed in `reads`; empty if not sent. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SessionRequest<Body, Query> extends AnyRequest<Body, Query> {
  readonly caller: Caller;
  /** The value of the session cookie. */
  readonly sessionToken: string;
}

export type Reply<Body> =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: Body;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Serialised JSON. */
  | { readonly kind: 'text'; readonly text: string }
  /** A page, script or image. */
  | {
      readonly kind: 'document';
      readonly contentType: string;
      readonly content: string | Uint8Array;
      /** How long browsers may cache it without revalidation. Without it, they must revalidate. */
      readonly maxAgeS?: number;
      /** The page has no inline styles, and its policy forbids them. */
      readonly strict?: true;
      /** How the content is compressed; the operation reads `accept-encoding`. */
      readonly encoding?: 'br' | 'gzip';
      /** The path names the content, so it never changes there. */
      readonly immutable?: true;
      /** Identifies the content. Browsers that have it get 304 instead, if the operation reads `if-none-match`. */
      readonly etag?: string;
    }
  /** The client has the document already (304). */
  | { readonly kind: 'unchanged'; readonly etag: string }
  /** There is nothing to show (204). */
  | { readonly kind: 'nothing' }
  /** Server-sent events. `open` is called even if the client has disconnected meanwhile. */
  | { readonly kind: 'events'; readonly open: (channel: EventChannel) => void };

export interface Shape<Body extends TSchema, Query extends TSchema, Answer extends TSchema> {
  /** What the operation does, in a few words, for the documentation. */
  readonly summary: string;
  readonly body?: Body;
  readonly query?: Query;
  readonly answer: Answer;
  /** Whether a plan includes the operation. If not, it is refused before the input is validated. */
  readonly included?: (terms: PlanTerms) => boolean;
  /** Statuses of its JSON responses. Default: 200. */
  readonly statuses?: readonly number[];
  /** Its own refusals, in addition to those of every operation of its kind. */
  readonly refuses?: readonly RefusalCode[];
  /** The operation may also respond with server-sent events. */
  readonly events?: true;
  /** When the operation responds with 204 and no body, for the documentation. */
  readonly nothing?: string;
  /** The body may also be a form. */
  readonly form?: true;
  /** The handler gets the body as received, without JSON parsing or validation. */
  readonly raw?: true;
  /** Counts a request from this address, or rejects with an ApiError. Runs before the input is validated. */
  readonly admit?: (clientIp: string) => Promise<void>;
  /**
   * It counts requests of an address in another way. Like those with `admit`, they are answered at one node of a cluster,
   * whichever got them, so that the count is exact.
   */
  readonly countsSenders?: true;
  /**
   * The operation needs what few can have at a time: the database on behalf of anyone, a single thread, another service.
   * Requests of one account, or of one address where the sender is unknown, take turns: a flood waits for itself.
   */
  readonly takesTurns?: true;
  /** Names of the request headers that the handler reads, in lower case. */
  readonly reads?: readonly string[];
  /** The response signs the visitor in, so pages of other sites must not be able to send the request. */
  readonly signsIn?: true;
  /**
   * The response holds a secret, so caches must not store it. Responses to bearers and signed-in visitors are never
   * stored.
   */
  readonly confidential?: true;
  /** A GET with a side effect. HEAD would have it too, so HEAD is not supported. */
  readonly startsSomething?: true;
  /** Not part of the interface for clients, so left out of the OpenAPI document. */
  readonly undocumented?: true;
}

export type Operation =
  | {
      readonly auth: 'public';
      readonly shape: Shape<TSchema, TSchema, TSchema>;
      readonly handle: (request: PublicRequest<never, never>) => Promise<Reply<unknown>>;
    }
  | {
      readonly auth: 'bearer';
      readonly shape: Shape<TSchema, TSchema, TSchema>;
      readonly handle: (request: BearerRequest<never, never>) => Promise<Reply<unknown>>;
    }
  | {
      readonly auth: 'session';
      readonly shape: Shape<TSchema, TSchema, TSchema>;
      readonly handle: (request: SessionRequest<never, never>) => Promise<Reply<unknown>>;
    };

/** An operation without authentication. */
export function publicOperation<Answer extends TSchema, Body extends TSchema, Query extends TSchema>(
  shape: Shape<Body, Query, Answer>,
  handle: (request: PublicRequest<Static<Body>, Static<Query>>) => Promise<Reply<Static<Answer>>>,
): Operation {
  return { auth: 'public', shape, handle };
}

/** An operation for API clients, authenticated by bearer token. */
export function bearerOperation<Answer extends TSchema, Body extends TSchema, Query extends TSchema>(
  shape: Shape<Body, Query, Answer>,
  handle: (request: BearerRequest<Static<Body>, Static<Query>>) => Promise<Reply<Static<Answer>>>,
): Operation {
  return { auth: 'bearer', shape, handle };
}

/** An operation for people, authenticated by session cookie. */
export function sessionOperation<Answer extends TSchema, Body extends TSchema, Query extends TSchema>(
  shape: Shape<Body, Query, Answer>,
  handle: (request: SessionRequest<Static<Body>, Static<Query>>) => Promise<Reply<Static<Answer>>>,
): Operation {
  return { auth: 'session', shape, handle };
}

export function reply<Body>(body: Body, status = 200, headers: Readonly<Record<string, string>> = {}): Reply<Body> {
  return { kind: 'json', status, body, headers };
}
