// How the process of unhealthy endpoints obeys its bench: it accepts and counts requests from one message on, and drops
// everything at the next. Until the first message it accepts nothing.

import { endWithTheBench } from '../suite/helper-process.ts';

export type ToUnhealthy =
  /** Accept requests from now on, and count them from zero. */
  | { readonly kind: 'accept' }
  /** Close every connection, also those still to come. */
  | { readonly kind: 'drop' };

export type FromUnhealthy =
  | { readonly kind: 'accepting' }
  /** `requests` arrived since `accept`. */
  | { readonly kind: 'dropped'; readonly requests: number };

export interface Admission {
  readonly accepting: boolean;
  /** Counted by the receiver. */
  requests: number;
}

/** `dropAll` closes every connection that is open. */
export function obeyBench(dropAll: () => void): Admission {
  const admission = { accepting: false, requests: 0 };
  const send = (message: FromUnhealthy): void => {
    if (process.connected) process.send!(message);
  };
  process.on('message', ({ kind }: ToUnhealthy) => {
    admission.accepting = kind === 'accept';
    if (admission.accepting) {
      admission.requests = 0;
      send({ kind: 'accepting' });
      return;
    }
    dropAll();
    send({ kind: 'dropped', requests: admission.requests });
  });
  endWithTheBench(async () => {});
  return admission;
}
