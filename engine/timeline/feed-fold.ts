// Folds a payload of a feed into the feed's state, by the rules of `schemas/webhook/feed-states.ts`. Payloads are ours and
// follow their schemas, so nothing is checked again.

import type { KeptField, KeptFields } from '#schemas/webhook/feed-states.ts';

type Value = null | boolean | number | string | readonly Value[] | Fields;

/** A payload, or a part of one. */
export interface Fields {
  [name: string]: Value;
}

type KeptObject = Extract<KeptField, { readonly kind: 'object' }>;
type KeptList = Extract<KeptField, { readonly kind: 'list' }>;

/** Changes the state by the payload. The payload is used up: parts of it become parts of the state. */
export function foldPayload(state: Fields, payload: Fields, kept: KeptFields): void {
  // Of the envelope this field alone can be absent.
  if (!Object.hasOwn(payload, 'lap')) delete state.lap;
  fold(state, payload, kept);
}

function fold(into: Fields, from: Fields, kept: KeptFields): void {
  for (const name of Object.keys(from)) {
    const field = kept[name];
    if (field === undefined) into[name] = from[name]!;
    else if (field.kind !== 'passing') foldPart(into, name, from[name]!, field);
  }
}

function foldPart(into: Fields, name: string, from: Value, field: KeptObject | KeptList): void {
  if (!Object.hasOwn(into, name)) into[name] = field.kind === 'object' ? {} : [];
  if (field.kind === 'object') fold(into[name] as Fields, from as Fields, field.fields);
  else foldList(into[name] as Fields[], from as Fields[], field);
}

function foldList(into: Fields[], from: readonly Fields[], { key, fields, owner }: KeptList): void {
  for (const item of from) {
    const index = placeOf(into, key, item[key]!);
    const known = into[index];
    if (known === undefined || known[key] !== item[key])
      into.splice(index, 0, fields === null ? item : filled(item, fields));
    else if (fields === null) into[index] = item;
    else if (owner !== null && known[owner] !== item[owner]) into[index] = filled(item, fields);
    else fold(known, item, fields);
  }
}

function filled(item: Fields, fields: KeptFields): Fields {
  const into: Fields = {};
  fold(into, item, fields);
  return into;
}

/** Where the item with this key is, or belongs: numbers ascend, texts keep the order of their first appearance. */
function placeOf(list: readonly Fields[], key: string, value: Value): number {
  if (typeof value !== 'number') {
    const index = list.findIndex((item) => item[key] === value);
    return index === -1 ? list.length : index;
  }
  // From the end, where most changes are.
  let index = list.length;
  while (index > 0 && (list[index - 1]![key] as number) >= value) index--;
  return index;
}
