// Messages between the main thread and the operators' thread.

import type { MessagePort } from 'node:worker_threads';

export type ToOperators =
  /** A port to the live thread, which has just started or restarted. */
  | { readonly kind: 'live'; readonly port: MessagePort }
  /** End all requests, reply `closed` and take no more. */
  | { readonly kind: 'close' };

export type FromOperators =
  /** The listener is open. */
  { readonly kind: 'ready'; readonly port: number } | { readonly kind: 'closed' };
