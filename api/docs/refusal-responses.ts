// The refusals of an operation by status: those that it declares, and those of every operation of its kind.

import { REFUSALS, type RefusalCode } from '#api/http/api-error.ts';
import { refusesUnknownParameters } from '#api/http/query-string.ts';
import type { Route } from '#api/http/router.ts';
import type { JsonObject } from './named-schemas.ts';

export const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  required: ['error', 'code', 'statusCode'],
  properties: {
    error: { type: 'string', description: 'Message for people. The wording may change.' },
    code: { type: 'string', description: 'Stable code for programs.' },
    statusCode: { type: 'integer', description: 'HTTP status of the response.' },
  },
};

/** Returns OpenAPI response objects by status. */
export function refusalResponses(route: Route): Readonly<Record<string, JsonObject>> {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of codesOf(route)) {
    const [status] = REFUSALS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const headers = route.operation.auth === 'bearer' ? ['RequestId', ...RATE_LIMIT_HEADERS] : ['RequestId'];
  const byAscendingStatus = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(byAscendingStatus.map(([status, codes]) => [status, responseOf(codes, headers)]));
}

/** Header components of the responses to bearers. */
export const RATE_LIMIT_HEADERS = ['RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset'];

const HEADER_NAMES: Readonly<Record<string, string>> = {
  RequestId: 'X-Request-Id',
  RateLimitLimit: 'X-RateLimit-Limit',
  RateLimitRemaining: 'X-RateLimit-Remaining',
  RateLimitReset: 'X-RateLimit-Reset',
  RetryAfter: 'Retry-After',
};

/** Returns references to header components, by the header's name. */
export function headerReferences(components: readonly string[]): JsonObject {
  return Object.fromEntries(components.map((name) => [HEADER_NAMES[name]!, { $ref: `#/components/headers/${name}` }]));
}

function codesOf(route: Route): ReadonlySet<RefusalCode> {
  const { path, operation } = route;
  const { auth, shape } = operation;
  const codes = new Set<RefusalCode>();
  const add = (when: boolean, ...possible: RefusalCode[]) => {
    if (when) for (const code of possible) codes.add(code);
  };
  const takesBody = shape.body !== undefined || shape.raw === true;
  add(shape.body !== undefined, 'invalid_json', 'invalid_body');
  add(shape.query !== undefined || refusesUnknownParameters(route), 'invalid_query');
  add(auth === 'bearer', 'unauthorized', 'rate_limit_exceeded');
  add(auth === 'session', 'not_signed_in');
  add(auth === 'session' || shape.signsIn === true, 'cross_site');
  add(shape.included !== undefined, 'insufficient_tier');
  add(path.includes(':'), 'not_found');
  add(takesBody, 'request_timeout', 'body_too_large');
  add(true, ...(shape.refuses ?? []), 'internal_error', 'unavailable');
  return codes;
}

function responseOf(codes: readonly RefusalCode[], headers: readonly string[]): JsonObject {
  const [status] = REFUSALS[codes[0]!];
  const texts = codes.map((code) => `\`${code}\`: ${REFUSALS[code][1]}`);
  const retry = codes.includes('rate_limit_exceeded') || codes.includes('unavailable') ? ['RetryAfter'] : [];
  const narrowed = {
    type: 'object',
    properties: { code: { type: 'string', enum: codes }, statusCode: { type: 'integer', const: status } },
  };
  return {
    description: texts.join('\n\n'),
    headers: headerReferences([...headers, ...retry]),
    content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Error' }, narrowed] } } },
  };
}
