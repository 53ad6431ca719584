// Builds the OpenAPI 3.1 document from the routes. The document shows the schemas that validate requests and serialise
// responses, so it cannot disagree with them.

import { sessionCookieName } from '#api/http/cookie.ts';
import type { Route } from '#api/http/router.ts';
import { assert } from '#engine/base/assert.ts';
import { CUSTOM_HEADERS_SCHEMA } from '#schemas/http/custom-headers.ts';
import { FILTERS_SCHEMA } from '#schemas/http/filters.ts';
import { deliveryWebhook } from './delivery-webhook.ts';
import type { DocumentSettings } from './document-settings.ts';
import { type JsonObject, NamedSchemas } from './named-schemas.ts';
import { operationObject, templated } from './operation-object.ts';
import { ERROR_SCHEMA } from './refusal-responses.ts';

const BASE = '/v1';

/** Tags by the first segment of the path. */
const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  auth: { name: 'Accounts', description: 'Sign up, verify the address, sign in and out.' },
  oauth: { name: 'Tokens', description: 'Exchange client credentials for bearer tokens.' },
  console: { name: 'Console', description: 'Account management for signed-in users.' },
  webhooks: { name: 'Webhooks', description: 'Endpoints, their feed subscriptions, secrets and delivery logs.' },
  feeds: { name: 'Feeds', description: 'The feeds that endpoints can subscribe to.' },
  events: { name: 'Calendar', description: 'The race calendar.' },
  sessions: { name: 'Sessions', description: 'Live and recorded sessions.' },
  stream: { name: 'Streams', description: 'Updates over a connection that the client opens.' },
  live: { name: 'Live', description: 'Live delivery of sessions.' },
  simulate: { name: 'Simulate', description: 'Replays of recorded sessions.' },
  preview: { name: 'Predictions', description: 'Model forecasts of upcoming sessions.' },
  fantasy: { name: 'Fantasy', description: 'Estimated fantasy scores and pit lane times.' },
  usage: { name: 'Usage', description: 'Deliveries of the current month.' },
};

const DELIVERIES = { name: 'Deliveries', description: 'The requests that this service sends to endpoints.' };

export function openApiDocument(routes: readonly Route[], settings: DocumentSettings): JsonObject {
  const schemas = new NamedSchemas({
    Error: ERROR_SCHEMA,
    Filters: FILTERS_SCHEMA,
    CustomHeaders: CUSTOM_HEADERS_SCHEMA,
  });
  const paths: Record<string, Record<string, JsonObject>> = {};
  const used = new Set<string>();
  for (const route of routes.filter(({ operation }) => operation.shape.undocumented !== true)) {
    assert(route.path.startsWith(`${BASE}/`), `the documented path ${route.path} is below ${BASE}`);
    const path = route.path.slice(BASE.length);
    const resource = path.split('/')[1]!;
    const tag = TAGS[resource];
    assert(tag !== undefined, `the resource ${resource} has a tag`);
    used.add(resource);
    const operation = operationObject(route, path, tag.name, schemas);
    const methods = paths[templated(path)] ?? {};
    paths[templated(path)] = { ...methods, [route.method.toLowerCase()]: operation };
  }
  const webhooks = deliveryWebhook(settings, schemas);
  const tags = Object.keys(TAGS).filter((resource) => used.has(resource));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Slipstream',
      version: '1',
      description:
        'Race data as signed webhooks, live and in replays. Errors are JSON objects with `error`, `code` and ' +
        '`statusCode`. A method that a path does not support gets 405 with `Allow`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: settings.serverUrl }],
    tags: [...tags.map((resource) => TAGS[resource]), DELIVERIES],
    paths,
    webhooks,
    components: { securitySchemes: securitySchemes(settings), headers: HEADERS, schemas: schemas.all },
  };
}

function securitySchemes({ serverUrl, https }: DocumentSettings): JsonObject {
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'Access token from POST /oauth.' },
    clientCredentials: {
      type: 'oauth2',
      description: 'The same token, for clients that fetch it themselves.',
      flows: { clientCredentials: { tokenUrl: `${serverUrl}/oauth`, scopes: {} } },
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(https),
      description: 'Set by POST /auth/login.',
    },
  };
}

const HEADERS: JsonObject = {
  RequestId: {
    description: "Id of this request in the service's log. Taken from the request's X-Request-Id if that one is valid.",
    schema: { type: 'string' },
  },
  RateLimitLimit: { description: 'Requests that the account may send per hour.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Requests left in this hour.', schema: { type: 'integer' } },
  RateLimitReset: { description: 'End of the hour, in Unix seconds.', schema: { type: 'integer' } },
  RetryAfter: { description: 'Seconds to wait before retrying.', schema: { type: 'integer' } },
};
