// The reference: a page for each resource with its operations, printed from the OpenAPI document.

import type { JsonObject } from '#api/docs/named-schemas.ts';
import { escapeHtml } from '#engine/base/html-escape.ts';
import { codeBlock, withCode } from './html.ts';
import type { PortalPage } from './portal-page.ts';
import { schemaHtml, typeHtml } from './schema-html.ts';

interface Tag {
  readonly name: string;
  readonly description: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: JsonObject;
}

interface Content {
  readonly [type: string]: { readonly schema: JsonObject; readonly example?: unknown };
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

export interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

type Paths = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;

/** The operations of an OpenAPI document, deliveries apart. */
export function operationsOf(document: JsonObject): readonly ListedOperation[] {
  return Object.entries(document.paths as Paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

export function referencePages(document: JsonObject): readonly PortalPage[] {
  const operations = operationsOf(document);
  const schemas = (document.components as { readonly schemas: JsonObject }).schemas;
  const base = (document.servers as readonly { readonly url: string }[])[0]!.url;
  return (document.tags as readonly Tag[]).flatMap(({ name, description }): PortalPage[] => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    if (own.length === 0) return [];
    return [
      {
        path: `reference/${name.toLowerCase()}`,
        title: name,
        summary: description,
        headings: own.map(({ method, path, operation }) => ({
          id: operation.operationId,
          text: operation.summary,
          depth: 2,
          words: `${method} /v1${path} ${operation.description ?? ''}`,
        })),
        content: (root) => own.map((listed) => operationHtml(listed, { schemas, base, root })).join(''),
      },
    ];
  });
}

interface Surroundings {
  readonly schemas: JsonObject;
  /** URL of the API; below the host if it is relative. */
  readonly base: string;
  readonly root: string;
}

function operationHtml({ method, path, operation }: ListedOperation, around: Surroundings): string {
  const { operationId, summary, description, tags, parameters = [], requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {})[0];
  const answers = Object.entries(responses);
  const [good, refusals] = [answers.filter(([status]) => status < '4'), answers.filter(([status]) => status >= '4')];
  return `<section class="operation">
<h2 id="${operationId}"><a href="#${operationId}">${escapeHtml(summary)}</a></h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>/v1${escapeHtml(path)}</code></p>
${description === undefined ? '' : `<p>${withCode(description)}</p>`}
<p class="facts"><span>${accessText(operation)}</span> <a href="${around.root}try#/${encodeURIComponent(tags[0]!)}/${operationId}">Try it out</a></p>
${codeBlock(curlOf(method, path, operation, around.base), 'Shell')}
${parametersHtml(parameters, around.schemas)}
${body === undefined ? '' : `<h3>Body</h3>\n${schemaHtml(body.schema, around.schemas)}`}
${good.map(([status, answer]) => answerHtml(status, answer, around.schemas)).join('')}
<details><summary>Errors</summary>${refusals
    .map(
      ([status, { description }]) =>
        `<h4>${status}</h4>${description
          .split('\n\n')
          .map((line) => `<p>${withCode(line)}</p>`)
          .join('')}`,
    )
    .join('')}</details>
</section>\n`;
}

function accessText({ security }: OperationObject): string {
  const scheme = Object.keys(security[0] ?? {})[0];
  if (scheme === undefined) return 'No credentials';
  return scheme === 'session' ? 'Session cookie' : 'Bearer token';
}

function parametersHtml(parameters: readonly Parameter[], schemas: JsonObject): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, required = false, description, schema }) =>
      `<dt><code>${escapeHtml(name)}</code> <span class="type">${typeHtml(schema, schemas)}, in the ${place}</span>${required ? '' : ' <span class="optional">optional</span>'}</dt>
<dd>${description === undefined ? '' : `<p>${withCode(description)}</p>`}</dd>`,
  );
  return `<h3>Parameters</h3><div class="schema"><dl>${rows.join('')}</dl></div>\n`;
}

function answerHtml(
  status: string,
  { description, content = {} }: OperationObject['responses'][string],
  schemas: JsonObject,
): string {
  const media = content['application/json'];
  const fields = media === undefined ? '' : schemaHtml(media.schema, schemas);
  const example = media?.example === undefined ? '' : codeBlock(JSON.stringify(media.example, null, 2), 'JSON');
  return `<h3>${status} ${escapeHtml(description)}</h3>${example}${fields === '' ? '' : `<details><summary>Fields</summary>${fields}</details>`}\n`;
}

/** The request of the example. */
function curlOf(method: string, path: string, operation: OperationObject, base: string): string {
  const { parameters = [], requestBody } = operation;
  const given = parameters.filter(({ example }) => example !== undefined);
  const query = given
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  const filled = given
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const host = base.startsWith('/') ? `http://localhost:8080${base}` : base;
  const address = `${host}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const example = requestBody?.content['application/json']?.example;
  const access = accessText(operation);
  const isStream = operation.responses['200']?.content?.['text/event-stream'] !== undefined;
  const options = [
    ...(method === 'GET' || (method === 'POST' && example !== undefined) ? [] : [`-X ${method}`]),
    ...(isStream ? ['-N'] : []),
    ...(access === 'Bearer token' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(access === 'Session cookie' ? ['-b cookies.txt'] : []),
    ...(example === undefined ? [] : ["-H 'content-type: application/json'", `-d '${JSON.stringify(example)}'`]),
  ];
  return [`curl '${address}'`, ...options].join(' \\\n  ');
}
