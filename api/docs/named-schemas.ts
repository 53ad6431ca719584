// Collects named schemas: each appears once in the document's components, and is referenced everywhere else. The name
// is the schema's title. Titles that are no names (with spaces, or in lower case) stay in place.

import { isDeepStrictEqual } from 'node:util';
import { assert } from '#engine/base/assert.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const NAME = /^[A-Z][A-Za-z0-9]*$/;

export class NamedSchemas {
  readonly #named = new Map<string, JsonObject>();
  readonly #given: ReadonlySet<string>;

  /**
   * `given` replaces every schema with such a title. It documents values that are validated by other means than a
   * schema.
   */
  constructor(given: Readonly<Record<string, JsonObject>>) {
    for (const [name, schema] of Object.entries(given)) this.#named.set(name, schema);
    this.#given = new Set(Object.keys(given));
  }

  /** Returns the schema with references in place of named schemas. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title } = schema as { readonly title?: unknown };
    if (typeof title === 'string' && NAME.test(title)) return this.name(title, schema as JsonObject);
    return this.#partsOf(schema as JsonObject);
  }

  /** Registers the schema under this name, and returns a reference to it. */
  name(name: string, schema: JsonObject): JsonObject {
    if (!this.#given.has(name)) {
      const parts = this.#partsOf(schema);
      const known = this.#named.get(name);
      assert(known === undefined || isDeepStrictEqual(known, parts), `only one schema has the name ${name}`);
      this.#named.set(name, parts);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All schemas named so far. */
  get all(): JsonObject {
    return Object.fromEntries(this.#named);
  }

  #partsOf(schema: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, this.refer(part)]));
  }
}
