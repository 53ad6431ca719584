// Messages between the main thread and the operators' thread.

import type { MessagePort } from 'node:worker_threads';
import type { ShownWarning } from '#schemas/http/operators.ts';

export type ToOperators =
  /** A port to the live thread, which has just started or restarted. */
  | { readonly kind: 'live'; readonly port: MessagePort }
  /** What threads have logged, oldest first. */
  | { readonly kind: 'warnings'; readonly warnings: readonly ShownWarning[] }
  /** End all requests, reply `closed` and take no more. */
  | { readonly kind: 'close' };

export type FromOperators =
  /** The listener is open. */
  { readonly kind: 'ready'; readonly port: number } | { readonly kind: 'closed' };
