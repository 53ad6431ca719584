// What a receiver can do wrong, and what must come of it: the row of a table that a bench and a person with another webhook
// service to try can both use.

import type { Socket } from 'node:net';

/** What the delivery log must have of every attempt: the status code, or the error in its place. */
export type Outcome = { readonly statusCode: number } | { readonly error: RegExp };

export interface Misbehaviour {
  readonly name: string;
  /** What it does, for a person. */
  readonly does: string;
  readonly outcome: Outcome;
  /** When an attempt is over: at the deadline, or before. */
  readonly over: 'soon' | 'at the deadline';
  /** Whether a connection carries a further request; `maybe` where that is a matter of moments. */
  readonly reused: 'yes' | 'no' | 'maybe';
  readonly by: Doing;
}

/** A request that came whole. */
export interface Arrival {
  /** Of those of its connection, from 0. */
  readonly number: number;
  /** Where somebody listens whom nobody should ever call. */
  readonly canaryPort: number;
}

/** How a misbehaviour is served; each has a port of its own. */
export type Doing =
  /** Nobody listens. */
  | { readonly kind: 'closed port' }
  /** Somebody listens and takes no connection; the queue of those that wait is full. */
  | { readonly kind: 'full queue' }
  /** From the first moment of a connection. */
  | { readonly kind: 'connection'; readonly act: (socket: Socket) => void }
  /** Once a request has come whole. */
  | { readonly kind: 'request'; readonly act: (socket: Socket, arrival: Arrival) => void }
  /** Over TLS, with one of the certificates of test/fixtures/tls. */
  | {
      readonly kind: 'tls';
      readonly certificate: string;
      readonly maxVersion?: 'TLSv1.1' | 'TLSv1.2';
      /** `below` is the connection under the encrypted one. */
      readonly act: (socket: Socket, below: Socket) => void;
    }
  /** Anything at all in the place of TLS. */
  | { readonly kind: 'no tls'; readonly act: (socket: Socket) => void }
  /** A name, which the kit's name server answers in its own way; nothing must reach the port. */
  | { readonly kind: 'name'; readonly answer: NameAnswer };

/** What the name server says of a name; addresses are those of IPv4 but for `mapped`. */
export type NameAnswer =
  | { readonly kind: 'silence' }
  | { readonly kind: 'nonsense' }
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'addresses'; readonly v4: readonly string[]; readonly v6?: readonly string[] }
  /** Another name's address, by way of a CNAME. */
  | { readonly kind: 'alias'; readonly of: string; readonly address: string }
  /** The first address to whoever asks first, the second one to everybody after. */
  | { readonly kind: 'change'; readonly first: string; readonly after: string };

export const status = (statusCode: number): Outcome => ({ statusCode });
export const error = (pattern: RegExp): Outcome => ({ error: pattern });

/** Whether the log's entry is the outcome. */
export function isOutcome(outcome: Outcome, statusCode: number | null, text: string | null): boolean {
  if ('statusCode' in outcome) return statusCode === outcome.statusCode && text === null;
  return statusCode === null && text !== null && outcome.error.test(text);
}

export function describeOutcome(outcome: Outcome): string {
  return 'statusCode' in outcome ? String(outcome.statusCode) : outcome.error.source.replace(/[\^$\\]/g, '');
}
