// One thing that a customer can ask for: who may, what is sent, what is answered, and the code that does it. The schemas
// give the handler its types, the request its check, the answer its serialiser and the OpenAPI document its page, so they
// cannot disagree.

import type { Static, TSchema } from 'typebox';
import type { Plan, PlanTerms } from '#api/plans/plan.ts';
import type { RefusalCode } from './api-error.ts';
import type { EventChannel } from './event-channel.ts';

/** Who asks: by bearer token or session cookie. */
export interface Caller {
  readonly accountId: string;
  readonly plan: Plan;
}

interface AnyRequest<Body, Query> {
  readonly requestId: string;
  /** From the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

export interface BearerRequest<Body, Query> extends AnyRequest<Body, Query> {
  readonly caller: Caller;
}

export interface PublicRequest<Body, Query> extends AnyRequest<Body, Query> {
  /** The client's address, as text; behind trusted proxies the one that they saw. */
  readonly clientIp: string;
  /** The body as it came; empty for operations without one. */
  readonly rawBody: Uint8Array;
  /** The headers that `reads` names; empty for one that was not sent. */
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
  /** JSON that is serialised already. */
  | { readonly kind: 'text'; readonly text: string }
  /** A page, script or picture. */
  | {
      readonly kind: 'document';
      readonly contentType: string;
      readonly content: string | Uint8Array;
      /** How long browsers may keep it without asking again; not at all unless given. */
      readonly maxAgeS?: number;
    }
  /** Answered with server-sent events; `open` is also called when the client has gone meanwhile. */
  | { readonly kind: 'events'; readonly open: (channel: EventChannel) => void };

export interface Shape<Body extends TSchema, Query extends TSchema, Answer extends TSchema> {
  /** What it does, in a few words, for the documentation. */
  readonly summary: string;
  readonly body?: Body;
  readonly query?: Query;
  readonly answer: Answer;
  /** Whether a plan includes it; where not, that is said before anything else that is wrong. */
  readonly included?: (terms: PlanTerms) => boolean;
  /** Statuses of its JSON answers; 200 unless given. */
  readonly statuses?: readonly number[];
  /** Refusals that are its own, beside those that any operation of its kind has. */
  readonly refuses?: readonly RefusalCode[];
  /** It may also answer with server-sent events. */
  readonly events?: true;
  /** The body may also be a form. */
  readonly form?: true;
  /** The body is not JSON that we check but somebody else's message, handed on as it came. */
  readonly raw?: true;
  /** Counts a request of this address or refuses it with an ApiError, before anything that was sent is judged. */
  readonly admit?: (clientIp: string) => void;
  /** Names of request headers, in small letters, that the handler reads. */
  readonly reads?: readonly string[];
  /** The answer signs somebody in, so a page of another site must not be able to send it. */
  readonly signsIn?: true;
  /** The answer carries a secret and must not be kept by caches, like those that are for bearers and for who is signed in. */
  readonly confidential?: true;
  /** A GET that starts something: HEAD would start it as well, so there is none. */
  readonly startsSomething?: true;
  /** Not part of the interface for clients, so not in the OpenAPI document. */
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

/** For anyone. */
export function publicOperation<Answer extends TSchema, Body extends TSchema, Query extends TSchema>(
  shape: Shape<Body, Query, Answer>,
  handle: (request: PublicRequest<Static<Body>, Static<Query>>) => Promise<Reply<Static<Answer>>>,
): Operation {
  return { auth: 'public', shape, handle };
}

/** For accounts, by bearer token. */
export function bearerOperation<Answer extends TSchema, Body extends TSchema, Query extends TSchema>(
  shape: Shape<Body, Query, Answer>,
  handle: (request: BearerRequest<Static<Body>, Static<Query>>) => Promise<Reply<Static<Answer>>>,
): Operation {
  return { auth: 'bearer', shape, handle };
}

/** For people, by session cookie. */
export function sessionOperation<Answer extends TSchema, Body extends TSchema, Query extends TSchema>(
  shape: Shape<Body, Query, Answer>,
  handle: (request: SessionRequest<Static<Body>, Static<Query>>) => Promise<Reply<Static<Answer>>>,
): Operation {
  return { auth: 'session', shape, handle };
}

export function reply<Body>(body: Body, status = 200, headers: Readonly<Record<string, string>> = {}): Reply<Body> {
  return { kind: 'json', status, body, headers };
}
