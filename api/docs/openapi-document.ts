// The OpenAPI 3.1 document, built from the routes themselves: what checks a request and writes its answer is what the
// document shows, so they cannot disagree.

import type { Route } from '#api/http/router.ts';
import { assert } from '#engine/base/assert.ts';
import { FILTERS_SCHEMA } from '#schemas/http/filters.ts';
import { deliveryWebhook } from './delivery-webhook.ts';
import type { DocumentSettings } from './document-settings.ts';
import { type JsonObject, NamedSchemas } from './named-schemas.ts';
import { operationObject, templated } from './operation-object.ts';
import { ERROR_SCHEMA } from './refusal-answers.ts';

const BASE = '/v1';

/** Resources by the first segment of their paths. */
const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  auth: { name: 'Accounts', description: 'Sign up, verify the address, sign in and out.' },
  oauth: { name: 'Tokens', description: 'Client credentials and the bearer tokens that they are exchanged for.' },
  console: { name: 'Console', description: 'What an account holder does when signed in.' },
  webhooks: { name: 'Webhooks', description: 'Endpoints, their feed subscriptions, secrets and delivery logs.' },
  feeds: { name: 'Feeds', description: 'What can be subscribed to.' },
  events: { name: 'Calendar', description: 'The race calendar.' },
  simulate: { name: 'Simulate', description: 'Replays of recorded sessions.' },
  preview: { name: 'Predictions', description: 'What the models expect of sessions to come.' },
  fantasy: { name: 'Fantasy', description: 'Estimated fantasy scores and pit-lane times.' },
  usage: { name: 'Usage', description: 'What was delivered this month.' },
};

const DELIVERIES = { name: 'Deliveries', description: 'The requests that this service sends to endpoints.' };

export function openApiDocument(routes: readonly Route[], settings: DocumentSettings): JsonObject {
  const schemas = new NamedSchemas({ Error: ERROR_SCHEMA, Filters: FILTERS_SCHEMA });
  const paths: Record<string, Record<string, JsonObject>> = {};
  const used = new Set<string>();
  for (const route of routes.filter(({ operation }) => operation.shape.undocumented !== true)) {
    assert(route.path.startsWith(`${BASE}/`), `${route.path} is below ${BASE}, as all that is documented`);
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
        'Race data as signed webhooks, live and in replays. Errors are JSON with `error`, `code` and `statusCode`; ' +
        'a path that does not know a method answers 405 with `Allow`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: settings.serverUrl }],
    tags: [...tags.map((resource) => TAGS[resource]), DELIVERIES],
    paths,
    webhooks,
    components: { securitySchemes: securitySchemes(settings.serverUrl), headers: HEADERS, schemas: schemas.all },
  };
}

function securitySchemes(serverUrl: string): JsonObject {
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'An access token from POST /oauth.' },
    clientCredentials: {
      type: 'oauth2',
      description: 'The same token, fetched by the client itself.',
      flows: { clientCredentials: { tokenUrl: `${serverUrl}/oauth`, scopes: {} } },
    },
    session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'Set by POST /auth/login.' },
  };
}

const HEADERS: JsonObject = {
  RequestId: {
    description: 'Names this request in the log of the service; that of the request, if it had a fitting one.',
    schema: { type: 'string' },
  },
  RateLimitLimit: { description: 'Requests that the account may send in an hour.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Requests left in this hour.', schema: { type: 'integer' } },
  RateLimitReset: { description: 'When the hour ends, in Unix seconds.', schema: { type: 'integer' } },
  RetryAfter: { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
};
