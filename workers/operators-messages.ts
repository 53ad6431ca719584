// What the main thread and the operators' thread say to each other.

import type { MessagePort } from 'node:worker_threads';

export type ToOperators =
  /** A port to the live thread, which was started, or started again. */
  | { readonly kind: 'live'; readonly port: MessagePort }
  /** End all requests, answer `closed`, take no more. */
  | { readonly kind: 'close' };

export type FromOperators =
  /** It listens. */
  { readonly kind: 'ready'; readonly port: number } | { readonly kind: 'closed' };
