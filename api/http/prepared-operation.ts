// What is worked out once for each operation: how to check its input and write its answers.

import type { HeaderList } from './exchange.ts';
import { jsonWriter } from './json-writer.ts';
import { refusesUnknownParameters } from './query-string.ts';
import type { Route } from './router.ts';
import { type SchemaCheck, schemaCheck } from './schema-check.ts';

export const JSON_TYPE: HeaderList = ['content-type', 'application/json'];
export const NO_STORE: HeaderList = ['cache-control', 'no-store'];

export interface PreparedOperation {
  readonly routeNo: number;
  readonly takesBody: boolean;
  readonly checkBody: SchemaCheck | null;
  readonly checkQuery: SchemaCheck | null;
  /** Whether unknown parameters are refused. */
  readonly strictQuery: boolean;
  readonly serialise: (body: unknown) => string;
  readonly statuses: readonly number[];
  readonly headers: HeaderList;
}

/** `always`: headers of every response. */
export function preparedOperation(route: Route, routeNo: number, always: HeaderList): PreparedOperation {
  const { auth, shape } = route.operation;
  // Caches must not store the response for one account, whether or not it holds a secret.
  const confidential = auth !== 'public' || shape.confidential === true;
  return {
    routeNo,
    takesBody: shape.body !== undefined || shape.raw === true,
    checkBody: shape.body === undefined ? null : schemaCheck(shape.body, 'the body'),
    checkQuery: shape.query === undefined ? null : schemaCheck(shape.query, 'the query'),
    strictQuery: refusesUnknownParameters(route),
    serialise: jsonWriter(shape.answer),
    statuses: shape.statuses ?? [200],
    headers: [...JSON_TYPE, ...(confidential ? NO_STORE : []), ...always],
  };
}
