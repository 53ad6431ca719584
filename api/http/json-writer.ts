// Writes values of a schema as JSON.

import fastJson from 'fast-json-stringify';
import type { TSchema } from 'typebox';

/** Compiled when it is first used, like a check (schema-check.ts). */
export function jsonWriter(schema: TSchema): (value: unknown) => string {
  let write: ((value: unknown) => string) | null = null;
  return (value) => {
    write ??= fastJson(schema as Parameters<typeof fastJson>[0]);
    return write(value);
  };
}
