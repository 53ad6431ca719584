// Answers of the operators' listener.

import type { IncomingMessage } from 'node:http';
import { NO_SNIFF } from '#api/http/document-headers.ts';
import { AdminError } from './admin-error.ts';

export interface AdminResponse {
  /** Names and values. */
  readonly headers: readonly string[];
  readonly content: string | Uint8Array;
}

/** Figures: they are never kept. */
export function figures(type: string, content: string): AdminResponse {
  return { headers: ['content-type', type, 'cache-control', 'no-store', ...NO_SNIFF], content };
}

export function json(value: object): AdminResponse {
  return figures('application/json', JSON.stringify(value));
}

export function data(value: object): AdminResponse {
  return json({ data: value });
}

/** Throws an AdminError for another method. */
export function allow(request: IncomingMessage, method: string): void {
  if (request.method !== method) throw new AdminError(405, 'method_not_allowed', `This path supports only ${method}.`);
}
