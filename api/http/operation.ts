// One thing that a customer can ask for: who may, what is sent, what is answered, and the code that does it. The schemas
// give the handler its types, the request its check and the answer its serialiser, so the three cannot disagree.

import type { Static, TSchema } from 'typebox';
import type { Plan } from '#api/accounts/account.ts';
import type { EventChannel } from './event-channel.ts';

export interface Caller {
  readonly accountId: string;
  readonly plan: Plan;
}

export interface PublicRequest<Body, Query> {
  readonly requestId: string;
  /** From the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly authorization: string;
}

export interface BearerRequest<Body, Query> extends PublicRequest<Body, Query> {
  readonly caller: Caller;
}

export type Reply<Body> =
  | { readonly kind: 'json'; readonly status: number; readonly body: Body }
  /** Answered with server-sent events; `open` is also called when the client has gone meanwhile. */
  | { readonly kind: 'events'; readonly open: (channel: EventChannel) => void };

export interface Shape<Body extends TSchema, Query extends TSchema, Answer extends TSchema> {
  readonly body?: Body;
  readonly query?: Query;
  readonly answer: Answer;
  /** The body may also be a form. */
  readonly form?: true;
  /** The answer carries a secret and must not be kept by caches. */
  readonly confidential?: true;
  /** A GET that starts something: HEAD would start it as well, so there is none. */
  readonly startsSomething?: true;
}

export interface Operation {
  readonly auth: 'public' | 'bearer';
  readonly shape: Shape<TSchema, TSchema, TSchema>;
  readonly handle: (request: BearerRequest<never, never>) => Promise<Reply<unknown>>;
}

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

export function reply<Body>(body: Body, status = 200): Reply<Body> {
  return { kind: 'json', status, body };
}
