// Where an account is at home: on the one node that answers its requests and makes its deliveries. So allowance, quota,
// runs and the order of changes are matters of one process.

import type { Exchange } from './exchange.ts';
import type { Authenticate, Caller } from './operation.ts';

/** Another node. */
export interface PeerNode {
  readonly nodeNo: number;
  /** HOST:PORT of its inner listener. */
  readonly address: string;
}

export type Home =
  | { readonly kind: 'here' }
  | { readonly kind: 'peer'; readonly node: PeerNode }
  /** It is being handed over, or its node has died and nobody has taken over yet. It will have one soon. */
  | { readonly kind: 'none' };

/** `key`: an account id, or the address that requests are counted by. */
export interface Homes {
  homeOf(key: string): Home;
  /** A request of this home begins here; it is not handed over before `ended`. */
  begun(key: string): void;
  ended(key: string): void;
}

/** What the dispatcher knows of a request. */
export interface Passed {
  readonly exchange: Exchange;
  /** What its home is looked up by: the account, or the network of its sender. */
  readonly key: string;
  /** Whose it is, if the request says so. */
  readonly caller: Caller | null;
  /** Whether it may be answered with an event stream. */
  readonly isStream: boolean;
  readonly clientIp: string;
  readonly requestId: string;
  readonly body: Uint8Array;
}

/** `not-home`: the account is at home elsewhere by now. `unreachable`: the node never saw the request. */
export type Passing =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'not-home' | 'unreachable' };

/** The status by which a node tells another that the account is not at home there. */
export const MISDIRECTED = 421;

export interface Forwarder {
  /** Passes a request on. Rejects with an ApiError if it cannot be known whether its home has seen it (FW1). */
  pass(node: PeerNode, request: Passed): Promise<Passing>;
  /** A token of the account may have been revoked; null: of any account. `authenticate`: see TokenAuthority. */
  accountChanged(accountId: string | null, authenticate: Authenticate): void;
}

/** Whether an account is of those in question. */
export type IsOurs = (accountId: string) => boolean;

export const everybody: IsOurs = () => true;

export const HERE: Home = { kind: 'here' };

/** A service alone is home to everybody. */
export const ALONE: Homes = {
  homeOf: () => HERE,
  begun() {},
  ended() {},
};
