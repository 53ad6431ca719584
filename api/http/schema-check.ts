// Validates values against schemas, and reports every violation in words.

import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { quoted } from '#engine/base/quoted-text.ts';
import { EXPECTED } from '#schemas/http/text-patterns.ts';

const ajv = new Ajv({ allErrors: true, ownProperties: true, verbose: true });

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

/** Keywords whose violation lists the possible values. */
const EXACT: ReadonlySet<string> = new Set(['const', 'enum']);

/** Returns the violations of a value; empty if it is valid. */
export type SchemaCheck = (value: unknown) => string[];

/**
 * A check, compiled when it is first used: compiling all of them would be a tenth of the service's start. `whole` names
 * the value itself in messages: `the body`.
 */
export function schemaCheck(schema: TSchema, whole: string): SchemaCheck {
  let validate: ValidateFunction | null = null;
  return (value) => {
    validate ??= ajv.compile(schema);
    if (validate(value)) return [];
    const errors = validate.errors ?? [];
    // The list of possible values also shows the type, so "must be a text" would add nothing.
    const exact = new Set(errors.filter(({ keyword }) => EXACT.has(keyword)).map(({ instancePath }) => instancePath));
    // Where several types are allowed, there is an error for each of them. One sentence names them all.
    const types = Map.groupBy(
      errors.filter(({ keyword, instancePath }) => keyword === 'type' && !exact.has(instancePath)),
      ({ instancePath }) => instancePath,
    );
    const telling = errors.filter(
      (error) =>
        error.keyword !== 'anyOf' && (error.keyword !== 'type' || types.get(error.instancePath)?.[0] === error),
    );
    return telling.map((error) => sentence(error, whole, types.get(error.instancePath) ?? []));
  };
}

function sentence(
  { instancePath, keyword, params, message, parentSchema }: ErrorObject,
  whole: string,
  types: readonly ErrorObject[],
): string {
  const place = placeName(instancePath);
  switch (keyword) {
    case 'required':
      return `${joined(place, String(params.missingProperty))} is required`;
    case 'additionalProperties':
      return `${joined(place, quoted(String(params.additionalProperty)))} is not a known key (${known(parentSchema)})`;
    case 'enum':
      return `${place || whole} must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `${place || whole} must be ${String(params.allowedValue)}`;
    case 'type':
      return `${place || whole} must be ${types.map(typeName).join(' or ')}`;
    case 'minimum':
      return `${place || whole} must be at least ${String(params.limit)}`;
    case 'exclusiveMinimum':
      return `${place || whole} must be more than ${String(params.limit)}`;
    case 'maximum':
      return `${place || whole} must be at most ${String(params.limit)}`;
    case 'minItems':
      // All our schemas with minItems set it to 1.
      return `${place || whole} must not be empty`;
    case 'maxItems':
      return `${place || whole} must have at most ${String(params.limit)} entries`;
    case 'pattern': {
      const expected = EXPECTED[String(params.pattern)];
      return `${place || whole} must ${expected === undefined ? 'have the documented form' : `be ${expected}`}`;
    }
    case 'minLength':
      if (params.limit === 1) return `${place || whole} must not be empty`;
      return `${place || whole} must have at least ${String(params.limit)} characters`;
    case 'maxLength':
      return `${place || whole} must have at most ${String(params.limit)} characters`;
    default:
      return `${place || whole} ${message ?? 'is not valid'}`;
  }
}

function typeName({ params }: ErrorObject): string {
  const types = String(params.type).split(',');
  return types.map((type) => TYPE_NAMES[type] ?? type).join(' or ');
}

/** The keys that a schema allows. */
function known(schema: AnySchemaObject | undefined): string {
  return `known: ${Object.keys(schema?.properties ?? {}).join(', ')}`;
}

/** Writes a JSON pointer the way people do: `/subscriptions/0/feedId` becomes `subscriptions[0].feedId`. */
function placeName(pointer: string): string {
  let name = '';
  for (const part of pointer.split('/').slice(1)) name = /^\d+$/.test(part) ? `${name}[${part}]` : joined(name, part);
  return name;
}

function joined(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`;
}
