// Describes one operation in OpenAPI, from its route and shape.

import { STATUS_CODES } from 'node:http';
import type { TSchema } from 'typebox';
import type { Operation } from '#api/http/operation.ts';
import type { Route } from '#api/http/router.ts';
import { answerExample } from './answer-examples.ts';
import type { JsonObject, NamedSchemas } from './named-schemas.ts';
import { OPERATION_NOTES, type OperationNotes, PARAMETER_DESCRIPTIONS } from './operation-notes.ts';
import { headerReferences, RATE_LIMIT_HEADERS, refusalResponses } from './refusal-responses.ts';

/** The security schemes of an operation; any one of a list is enough. */
const SECURITY: Readonly<Record<Operation['auth'], readonly JsonObject[]>> = {
  public: [],
  bearer: [{ bearer: [] }, { clientCredentials: [] }],
  session: [{ session: [] }],
};

/** `path` is relative to the server's URL: `/webhooks/:webhookId`. */
export function operationObject(route: Route, path: string, tag: string, schemas: NamedSchemas): JsonObject {
  const { auth, shape } = route.operation;
  const name = `${route.method} ${templated(path)}`;
  const notes: OperationNotes | undefined = OPERATION_NOTES[name];
  const parameters = [...pathParameters(path), ...queryParameters(shape.query, schemas)].map((parameter) =>
    withNotes(parameter, notes),
  );
  return {
    operationId: operationId(route.method, path),
    summary: shape.summary,
    ...(notes !== undefined && { description: notes.description }),
    tags: [tag],
    security: SECURITY[auth],
    ...(parameters.length > 0 && { parameters }),
    ...(shape.body !== undefined && { requestBody: requestBody(shape.body, shape.form === true, schemas, notes) }),
    responses: { ...successes(route.operation, schemas, name), ...refusalResponses(route) },
  };
}

/** Turns `/webhooks/:webhookId` into `/webhooks/{webhookId}`. */
export function templated(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** Turns `GET /webhooks/:webhookId/rotate-secret` into `getWebhooksByWebhookIdRotateSecret`. */
function operationId(method: string, path: string): string {
  const words = path.replaceAll(':', 'by-').split(/[/-]/);
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: TSchema | undefined, schemas: NamedSchemas): JsonObject[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: schemas.refer(schema),
  }));
}

/** Adds what the notes say about a parameter. */
function withNotes(parameter: JsonObject, notes: OperationNotes | undefined): JsonObject {
  const name = String(parameter.name);
  const description = parameter.description ?? PARAMETER_DESCRIPTIONS[name];
  const example = notes?.parameters?.[name];
  return { ...parameter, ...(description !== undefined && { description }), ...(example !== undefined && { example }) };
}

function requestBody(
  body: TSchema,
  form: boolean,
  schemas: NamedSchemas,
  notes: OperationNotes | undefined,
): JsonObject {
  const media = { schema: schemas.refer(body), ...(notes?.body !== undefined && { example: notes.body }) };
  return {
    required: true,
    content: { 'application/json': media, ...(form && { 'application/x-www-form-urlencoded': media }) },
  };
}

/** `name`: method and path, by which examples of answers are found. */
function successes({ auth, shape }: Operation, schemas: NamedSchemas, name: string): JsonObject {
  const headers = headerReferences(auth === 'bearer' ? ['RequestId', ...RATE_LIMIT_HEADERS] : ['RequestId']);
  const schema = schemas.refer(shape.answer);
  const byStatus: Record<string, JsonObject> = {};
  for (const status of shape.statuses ?? [200]) {
    const example = answerExample(name, status);
    const json = { schema, ...(example !== undefined && { example }) };
    byStatus[status] = { description: STATUS_CODES[status], headers, content: { 'application/json': json } };
  }
  if (shape.nothing !== undefined) byStatus[204] = { description: shape.nothing, headers, content: {} };
  if (shape.events === true) {
    const events = { 'text/event-stream': { schema: { type: 'string', description: 'Server-sent events.' } } };
    byStatus[200] = {
      description: 'Event stream',
      headers,
      content: { ...(byStatus[200]?.content as object), ...events },
    };
  }
  return byStatus;
}
