// A query string as an object. Texts stay texts, except that a parameter whose schema is a number and that reads as one
// becomes one; anything else is left for the schema to refuse by name.

import type { TSchema } from 'typebox';

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

export interface ParsedQuery {
  readonly values: Record<string, unknown>;
  readonly violations: string[];
}

/** Parameters that the schema does not name are ignored: links gather them on their way. */
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
