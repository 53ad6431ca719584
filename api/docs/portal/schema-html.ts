// A JSON schema as a list of fields: name, type, description, and the fields within.

import type { JsonObject } from '#api/docs/named-schemas.ts';
import { escapeHtml } from '#engine/base/html-escape.ts';
import { withCode } from './html.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly additionalProperties?: boolean | Schema;
  readonly $ref?: string;
}

/** Deeper parts are not shown: the JSON schema has them. */
const DEPTH_MAX = 8;
const REFERENCE = '#/components/schemas/';

/** `named`: the schemas that references lead to. */
export function schemaHtml(schema: unknown, named: JsonObject = {}): string {
  const rows = partsHtml(schema as Schema, named, 0);
  return rows === '' ? `<p>${typeHtml(schema as Schema, named)}</p>\n` : `<div class="schema">${rows}</div>\n`;
}

/** The fields of an object or of a list's items, or the alternatives of a choice. */
function partsHtml(given: Schema, named: JsonObject, depth: number): string {
  if (depth > DEPTH_MAX) return '';
  const schema = resolved(given, named);
  if (schema.items !== undefined) return partsHtml(schema.items, named, depth);
  const alternatives = realAlternatives(schema, named);
  if (alternatives.length > 1) {
    const parts = alternatives.map((part) => [labelOf(part), partsHtml(part, named, depth + 1)] as const);
    if (parts.every(([, html]) => html === '')) return '';
    return parts.map(([label, html]) => `<details><summary>${label}</summary>${html}</details>`).join('');
  }
  if (alternatives.length === 1) return partsHtml(alternatives[0]!, named, depth);
  const all = [schema, ...(schema.allOf ?? []).map((part) => resolved(part, named))];
  const required = new Set(all.flatMap((part) => part.required ?? []));
  const rows = all
    .flatMap((part) => Object.entries(part.properties ?? {}))
    .map(([name, field]) => fieldHtml(name, field, required.has(name), named, depth));
  return rows.length === 0 ? '' : `<dl>${rows.join('')}</dl>`;
}

function fieldHtml(name: string, field: Schema, isRequired: boolean, named: JsonObject, depth: number): string {
  const schema = resolved(field, named);
  const description = field.description ?? schema.description ?? describedAlternative(schema, named);
  const optional = isRequired ? '' : ' <span class="optional">optional</span>';
  const parts = partsHtml(field, named, depth + 1);
  return (
    `<dt><code>${escapeHtml(name)}</code> <span class="type">${typeHtml(field, named)}</span>${optional}</dt>` +
    `<dd>${description === undefined ? '' : `<p>${withCode(description)}</p>`}${parts}</dd>`
  );
}

/** Such as `integer, 1 or more` or `string or null`. */
export function typeHtml(given: Schema, named: JsonObject): string {
  const schema = resolved(given, named);
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map((part) => typeHtml(part, named)))].join(' or ');
  if (schema.items !== undefined) return `list of ${typeHtml(schema.items, named)}`;
  if (Array.isArray(schema.type)) return escapeHtml(schema.type.join(' or '));
  if (schema.properties !== undefined || schema.allOf !== undefined) return 'object';
  return escapeHtml([String(schema.type ?? 'any'), ...boundsOf(schema)].join(', '));
}

function boundsOf({ minimum, maximum, minLength, maxLength }: Schema): string[] {
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`];
  if (minimum !== undefined) return [`${minimum} or more`];
  if (maximum !== undefined) return [`at most ${maximum}`];
  if (maxLength !== undefined) return [`${minLength ?? 0} to ${maxLength} characters`];
  return [];
}

/** Without null, which the type says. */
function realAlternatives(schema: Schema, named: JsonObject): readonly Schema[] {
  return (schema.anyOf ?? schema.oneOf ?? [])
    .map((part) => resolved(part, named))
    .filter(({ type }) => type !== 'null');
}

function describedAlternative(schema: Schema, named: JsonObject): string | undefined {
  return realAlternatives(schema, named).find(({ description }) => description !== undefined)?.description;
}

/** What tells alternatives apart: the values of their constants. */
function labelOf({ properties = {}, description, type }: Schema): string {
  const constants = Object.entries(properties).filter(([, field]) => field.const !== undefined);
  if (constants.length === 0) return escapeHtml(description ?? String(type ?? 'object'));
  return constants
    .map(([name, field]) => `<code>${escapeHtml(`${name}: ${JSON.stringify(field.const)}`)}</code>`)
    .join(', ');
}

function resolved(schema: Schema, named: JsonObject): Schema {
  const name = schema.$ref?.startsWith(REFERENCE) === true ? schema.$ref.slice(REFERENCE.length) : undefined;
  return name === undefined ? schema : ((named[name] as Schema | undefined) ?? {});
}
