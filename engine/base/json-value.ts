// Reads fields of upstream JSON, which may hold anything. A value of an unexpected type counts as absent.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function isContainer(value: unknown): value is JsonObject | readonly Json[] {
  return typeof value === 'object' && value !== null;
}

/** The value as an object. A list counts as an object with its indexes as keys; any other value as an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isContainer(value) ? (value as JsonObject) : EMPTY;
}

const EMPTY: JsonObject = Object.freeze({});

/** The text, or null when it is empty or absent. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function booleanOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** A whole number, or the number in a text such as `"12"`. */
export function integerOf(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

/** A finite number, or the number in a text such as `"28.7"`. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^-?\d{1,15}(\.\d{1,10})?$/.test(value)) return null;
  return Number(value);
}
