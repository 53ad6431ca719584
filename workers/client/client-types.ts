// Writes the parts of the client that follow from the OpenAPI document: the payloads of the feeds, and every call with its
// request and answer. They are in api/client/; test/client/calls.test.ts holds them to the document and writes them anew.

import type { JsonObject } from '#api/docs/named-schemas.ts';
import { type ListedOperation, type OperationObject, operationsOf } from '#api/docs/portal/reference-pages.ts';
import { assert } from '#engine/base/assert.ts';
import { CALL_NAMES, EVENT_STREAMS } from './call-names.ts';
import { commentText, declarationText, fieldsText, referredName, type Schema, typeText } from './type-text.ts';

const WRITTEN = 'Written from the OpenAPI document: WRITE_CLIENT=1 node --test test/client/calls.test.ts';

type Schemas = Readonly<Record<string, Schema>>;

export interface ClientTypes {
  /** payloads.ts */
  readonly payloads: string;
  /** calls.ts */
  readonly calls: string;
}

/** The operations that the client calls by a name. */
export function calledOperations(document: JsonObject): readonly ListedOperation[] {
  return operationsOf(document).filter(({ method, path, operation }) => {
    const isBearers = operation.security.some((scheme) => 'bearer' in scheme);
    return isBearers && !EVENT_STREAMS.has(`${method} ${path}`);
  });
}

/** Unformatted. */
export function clientTypes(document: JsonObject): ClientTypes {
  const schemas = (document.components as { readonly schemas: Schemas }).schemas;
  const inPayloads = reachedFrom(['WebhookPayload'], schemas);
  const calls = calledOperations(document).map(callOf);
  const inCalls = reachedFrom(
    calls.flatMap(({ parts }) => [...referencesIn(parts)]),
    schemas,
  );
  const declared = (names: readonly string[]) => names.map((name) => declarationText(name, schemas[name]!)).join('\n');
  const own = [...inCalls].filter((name) => !inPayloads.has(name));
  return {
    payloads: payloadsText(schemas, declared([...inPayloads])),
    calls: callsText(
      calls,
      declared(own),
      [...inCalls].filter((name) => inPayloads.has(name)),
    ),
  };
}

function payloadsText(schemas: Schemas, declarations: string): string {
  const { mapping } = schemas.WebhookPayload!.discriminator as { readonly mapping: Readonly<Record<string, string>> };
  const rows = Object.entries(mapping).map(
    ([feedId, reference]) => `${JSON.stringify(feedId)}: ${referredName(reference)};`,
  );
  return `// The payloads of the feeds. ${WRITTEN}

/** The payload of each feed. */
export interface FeedPayloads {
${rows.join('\n')}
}

export type FeedId = keyof FeedPayloads;

/** The values of \`event\` in \`events.race\`. */
export type RaceEventType = EventsRacePayload['event'];

${declarations}`;
}

interface CallText {
  readonly method: string;
  /** Everything in it that may refer to named schemas. */
  readonly parts: unknown;
  /** Declares the types of its request and answer. */
  readonly types: string;
}

function callOf({ method, path, operation }: ListedOperation): CallText {
  const id = `${method} ${path}`;
  const name = CALL_NAMES[id];
  assert(name !== undefined, `workers/client/call-names.ts names ${id}`);
  const typeName = name.slice(0, 1).toUpperCase() + name.slice(1);
  const parameters = operation.parameters ?? [];
  const body = operation.requestBody?.content['application/json']?.schema;
  assert(
    body === undefined || parameters.every((parameter) => parameter.in === 'path'),
    `${id} has no query beside a body`,
  );
  const fields = Object.fromEntries(
    parameters.map(({ name, description, schema }) => [
      name,
      { ...schema, ...(description !== undefined && { description }) },
    ]),
  );
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const answer = answerOf(id, operation);

  const request = [
    ...(parameters.length === 0 ? [] : [`{\n${fieldsText(fields, required)}}`]),
    ...(body === undefined ? [] : [typeText(body)]),
  ].join(' & ');
  const needsNothing = required.length === 0 && body === undefined;
  const given = request === '' ? '' : `request: ${typeName}Request${needsNothing ? ' = {}' : ''}, `;
  const sent = request === '' ? '{}' : '{ ...request }';
  const shape = `{ method: ${JSON.stringify(method)}, path: ${JSON.stringify(path)}, takesBody: ${body !== undefined} }`;
  return {
    parts: [fields, body, answer],
    types:
      (request === '' ? '' : `export type ${typeName}Request = ${request};\n`) +
      `export type ${typeName}Answer = ${typeText(answer)};\n`,
    method:
      commentText(`${operation.summary}: \`${method} /v1${path}\`. ${operation.description ?? ''}`.trim()) +
      `${name}(${given}options?: CallOptions): Promise<${typeName}Answer> {\n` +
      `return this.call(${shape}, ${sent}, options) as Promise<${typeName}Answer>;\n}\n`,
  };
}

/** What the call returns: the content of \`data\` where the answer is nothing else. */
function answerOf(id: string, { responses }: OperationObject): Schema {
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]): Schema[] => {
      const json = content['application/json'];
      return json === undefined ? [] : [json.schema];
    });
  const [answer] = answers;
  assert(answer !== undefined, `${id} answers with JSON`);
  assert(
    answers.every((other) => JSON.stringify(other) === JSON.stringify(answer)),
    `${id} has one kind of answer`,
  );
  const properties = (answer.properties ?? {}) as Schemas;
  return Object.keys(properties).join() === 'data' ? properties.data! : answer;
}

function callsText(calls: readonly CallText[], declarations: string, imported: readonly string[]): string {
  return `// Every call, with its request and its answer. ${WRITTEN}

${imported.length === 0 ? '' : `import type { ${imported.join(', ')} } from './payloads.ts';`}

export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallShape {
  readonly method: string;
  /** Below the base URL, with its variable parts in braces. */
  readonly path: string;
  readonly takesBody: boolean;
}

${declarations}
${calls.map(({ types }) => types).join('\n')}

export abstract class Calls {
  /** \`request\`: the variable parts of the path; the rest is the body, or the query of calls without one. */
  protected abstract call(shape: CallShape, request: object, options: CallOptions | undefined): Promise<unknown>;

${calls.map(({ method }) => method).join('\n')}
}
`;
}

/** These schemas and all that they refer to, in the order of the document. */
function reachedFrom(names: Iterable<string>, schemas: Schemas): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...referencesIn(schemas[name]));
  }
  return new Set(Object.keys(schemas).filter((name) => reached.has(name)));
}

function referencesIn(part: unknown): ReadonlySet<string> {
  const found = [...JSON.stringify(part ?? null).matchAll(/"\$ref":"([^"]+)"/g)];
  return new Set(found.map(([, reference]) => referredName(reference!)));
}
