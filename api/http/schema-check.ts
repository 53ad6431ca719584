// Checks values against schemas and says in words what is wrong with them, all of it.

import { Ajv, type ErrorObject } from 'ajv';
import type { TSchema } from 'typebox';
import { quoted } from '#engine/quoted-text.ts';

const ajv = new Ajv({ allErrors: true, ownProperties: true });

/** Returns the violations of a value; an empty list means that it fits. */
export type SchemaCheck = (value: unknown) => string[];

/** `whole` names the value itself, `the body`. */
export function schemaCheck(schema: TSchema, whole: string): SchemaCheck {
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map((error) => sentence(error, whole)));
}

function sentence({ instancePath, keyword, params, message }: ErrorObject, whole: string): string {
  const place = placeName(instancePath);
  switch (keyword) {
    case 'required':
      return `${joined(place, String(params.missingProperty))} is required`;
    case 'additionalProperties':
      return `${joined(place, quoted(String(params.additionalProperty)))} is not a known key`;
    case 'enum':
      return `${place || whole} must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `${place || whole} must be ${String(params.allowedValue)}`;
    default:
      return `${place || whole} ${message ?? 'is not valid'}`;
  }
}

/** A JSON pointer as people write it: `/subscriptions/0/feedId` is `subscriptions[0].feedId`. */
function placeName(pointer: string): string {
  let name = '';
  for (const part of pointer.split('/').slice(1)) name = /^\d+$/.test(part) ? `${name}[${part}]` : joined(name, part);
  return name;
}

function joined(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`;
}
