// Parses a query string into an object. Values are strings; numeric parameters become numbers if they parse as such.
// The schema refuses everything else by name.

import type { TSchema } from 'typebox';

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

export interface ParsedQuery {
  readonly values: Record<string, unknown>;
  readonly violations: string[];
}

/** Ignores parameters that the schema does not name, such as those that trackers add to links. */
export function parseQuery(text: string, schema: TSchema): ParsedQuery {
  const properties = ('properties' in schema ? schema.properties : {}) as Record<string, { type?: unknown }>;
  const values: Record<string, unknown> = {};
  const violations: string[] = [];
  const given = new URLSearchParams(text);
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
