// Schemas that have a name, said once in the document's components and referred to everywhere else. The name is the
// schema's title; titles that are not names (with spaces, in small letters) stay what they are.

import { isDeepStrictEqual } from 'node:util';
import { assert } from '#engine/base/assert.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const NAME = /^[A-Z][A-Za-z0-9]*$/;

export class NamedSchemas {
  readonly #named = new Map<string, JsonObject>();
  readonly #given: ReadonlySet<string>;

  /** `given` stands for every schema with such a title, for those that are checked by other means than a schema. */
  constructor(given: Readonly<Record<string, JsonObject>>) {
    for (const [name, schema] of Object.entries(given)) this.#named.set(name, schema);
    this.#given = new Set(Object.keys(given));
  }

  /** The schema with references in the place of what has a name. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title } = schema as { readonly title?: unknown };
    if (typeof title === 'string' && NAME.test(title)) return this.name(title, schema as JsonObject);
    return this.#partsOf(schema as JsonObject);
  }

  /** A reference to the schema under this name. */
  name(name: string, schema: JsonObject): JsonObject {
    if (!this.#given.has(name)) {
      const parts = this.#partsOf(schema);
      const known = this.#named.get(name);
      assert(known === undefined || isDeepStrictEqual(known, parts), `${name} is the name of one schema`);
      this.#named.set(name, parts);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All that were named so far. */
  get all(): JsonObject {
    return Object.fromEntries(this.#named);
  }

  #partsOf(schema: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, this.refer(part)]));
  }
}
