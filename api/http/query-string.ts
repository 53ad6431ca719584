// Parses a query string into an object. Values are strings; numeric parameters become numbers if they parse as such.
// The schema refuses everything else by name.

import type { TSchema } from 'typebox';
import { UNKNOWN_PARAMETERS_NAMED_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import type { Route } from './router.ts';

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

export interface ParsedQuery {
  readonly values: Record<string, unknown>;
  readonly violations: string[];
}

/**
 * Whether an operation refuses parameters that it does not know. A client of the API that misspells one must not get an
 * answer to another question. Pages and probes ignore them: trackers add theirs to links. So do the messages of other
 * services, whose address an operator has set.
 */
export function refusesUnknownParameters({ path, operation }: Route): boolean {
  return path.startsWith('/v1/') && operation.shape.raw !== true;
}

/** Without a schema there are no parameters. `strict`: others are violations. */
export function parseQuery(text: string, schema: TSchema | undefined, strict: boolean): ParsedQuery {
  const properties = (schema !== undefined && 'properties' in schema ? schema.properties : {}) as Properties;
  const values: Record<string, unknown> = {};
  const violations: string[] = [];
  const given = new URLSearchParams(text);
  const unknown = strict ? [...new Set(given.keys())].filter((name) => !Object.hasOwn(properties, name)) : [];
  if (unknown.length > 0) violations.push(unknownText(unknown, Object.keys(properties)));
  for (const [name, property] of Object.entries(properties)) {
    const all = given.getAll(name);
    const first = all[0];
    if (first === undefined) continue;
    if (all.length > 1) violations.push(`${name} is given more than once`);
    const numeric = property.type === 'integer' || property.type === 'number';
    values[name] = numeric && NUMBER.test(first) ? Number(first) : first;
  }
  return { values, violations };
}

type Properties = Readonly<Record<string, { readonly type?: unknown }>>;

function unknownText(unknown: readonly string[], known: readonly string[]): string {
  const named = unknown.slice(0, UNKNOWN_PARAMETERS_NAMED_MAX).map(quoted).join(', ');
  const rest = unknown.length - UNKNOWN_PARAMETERS_NAMED_MAX;
  const what = unknown.length === 1 ? 'is not a known parameter' : 'are not known parameters';
  const which = known.length === 0 ? 'this operation takes none' : `known: ${known.join(', ')}`;
  return `${rest > 0 ? `${named} and ${rest} more` : named} ${what} (${which})`;
}
