// A misbehaviour of a receiver and its expected outcome: one row of a table, for the bench and for anyone who tests
// another webhook service.

import type { Socket } from 'node:net';

/** What the delivery log must show for every attempt: a status code, an error, or one of both if that depends on timing. */
export interface Outcome {
  readonly statusCode?: number;
  readonly error?: RegExp;
}

export interface Misbehaviour {
  readonly name: string;
  /** What it does, for the list that `--serve` prints. */
  readonly does: string;
  readonly outcome: Outcome;
  /** When an attempt ends: at the deadline, or before. */
  readonly over: 'soon' | 'at the deadline';
  /** Whether a connection carries more than one request; `maybe` if that depends on timing. */
  readonly reused: 'yes' | 'no' | 'maybe';
  readonly by: Doing;
}

/** A fully received request. */
export interface Arrival {
  /** Its number on its connection, from 0. */
  readonly number: number;
  /** The port of the canary, which no request may ever reach. */
  readonly canaryPort: number;
}

/** How a misbehaviour is served. Each has its own port. */
export type Doing =
  /** No process listens. */
  | { readonly kind: 'closed port' }
  /** A process listens but accepts no connection; its accept queue is full. */
  | { readonly kind: 'full queue' }
  /** Acts as soon as a connection opens. */
  | { readonly kind: 'connection'; readonly act: (socket: Socket) => void }
  /** Acts once a request is fully received. */
  | { readonly kind: 'request'; readonly act: (socket: Socket, arrival: Arrival) => void }
  /** Acts after a TLS handshake with one of the certificates in test/fixtures/tls. */
  | {
      readonly kind: 'tls';
      readonly certificate: string;
      readonly maxVersion?: 'TLSv1.1' | 'TLSv1.2';
      /** `below` is the TCP connection under the encrypted one. */
      readonly act: (socket: Socket, below: Socket) => void;
    }
  /** Does something other than TLS on an https port. */
  | { readonly kind: 'no tls'; readonly act: (socket: Socket) => void }
  /** A name that the kit's name server resolves as given. No connection must reach the port. */
  | { readonly kind: 'name'; readonly answer: NameAnswer };

/** How the name server resolves a name. */
export type NameAnswer =
  | { readonly kind: 'silence' }
  | { readonly kind: 'nonsense' }
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'addresses'; readonly v4: readonly string[]; readonly v6?: readonly string[] }
  /** It answers for IPv4 and says nothing of IPv6. */
  | { readonly kind: 'half silence'; readonly v4: readonly string[] }
  /** The first query for IPv4 is lost. */
  | { readonly kind: 'lost query'; readonly v4: readonly string[]; readonly v6: readonly string[] }
  /** The address of another name, through a CNAME. */
  | { readonly kind: 'alias'; readonly of: string; readonly address: string }
  /** One address for the first query, another for all later ones; it asks to keep neither. */
  | { readonly kind: 'change'; readonly first: string; readonly after: string };

export const status = (statusCode: number): Outcome => ({ statusCode });
export const error = (pattern: RegExp): Outcome => ({ error: pattern });

/** Whether an entry of the delivery log matches the outcome. */
export function isOutcome(outcome: Outcome, statusCode: number | null, text: string | null): boolean {
  if (statusCode !== null) return statusCode === outcome.statusCode && text === null;
  return text !== null && outcome.error?.test(text) === true;
}

export function describeOutcome(outcome: Outcome): string {
  const { statusCode, error } = outcome;
  return [statusCode, error?.source.replace(/[\^$\\]/g, '')].filter((text) => text !== undefined).join(' or ');
}
