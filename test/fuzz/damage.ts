// Damages valid inputs: flips, removes, repeats and moves bytes, and replaces JSON values.

import fc from 'fast-check';

type Edit = (bytes: Buffer) => Buffer;

/** A place in an input as a fraction from 0 to 1. Evenly distributed, unlike `fc.double`. */
export const place = fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000);
const at = (bytes: Buffer, part: number): number => Math.floor(part * (bytes.length + 1));

/** Pieces that often break readers of text. */
const PIECES = [
  '\u0000',
  '\ufeff',
  '\r',
  '\n',
  '\r\n',
  '"',
  "'",
  '\\',
  ',',
  '{',
  '}',
  '[',
  ']',
  ':',
  '\x1e',
  '-',
  '1e999',
  '-0',
  'NaN',
  'null',
  '99999999999999999999',
  '"__proto__":1,',
  '"constructor":{},',
  '\u2028',
  '\ud83c\udfc1',
];

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([part, mask]): Edit => {
    return (bytes) => {
      const altered = Buffer.from(bytes);
      const index = Math.min(at(bytes, part), bytes.length - 1);
      if (index >= 0) altered[index]! ^= mask;
      return altered;
    };
  }),
  fc.tuple(place, fc.integer({ min: 1, max: 64 })).map(
    ([part, length]): Edit =>
      (bytes) =>
        splice(bytes, at(bytes, part), length, Buffer.alloc(0)),
  ),
  fc
    .tuple(
      place,
      fc.oneof(
        fc.constantFrom(...PIECES).map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 8 }).map((piece) => Buffer.from(piece)),
      ),
    )
    .map(
      ([part, piece]): Edit =>
        (bytes) =>
          splice(bytes, at(bytes, part), 0, piece),
    ),
  fc.tuple(place, place, fc.integer({ min: 1, max: 200 })).map(([from, to, length]): Edit => {
    return (bytes) => splice(bytes, at(bytes, to), 0, bytes.subarray(at(bytes, from), at(bytes, from) + length));
  }),
  place.map(
    (part): Edit =>
      (bytes) =>
        bytes.subarray(0, at(bytes, part)),
  ),
);

/** One of the samples with up to four faults. */
export function damagedBytes(samples: readonly (Buffer | string)[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(edit, { minLength: 1, maxLength: 4, size: 'max' }))
    .map(([sample, edits]) => edits.reduce<Buffer>((bytes, edit) => edit(bytes), Buffer.from(sample as Buffer)));
}

function splice(bytes: Buffer, start: number, removed: number, piece: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, start), piece, bytes.subarray(start + removed)]);
}

/** JSON text of a value of the wrong kind. `JSON.stringify` could not write all of them. */
export const oddJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '1.5',
    '1e999',
    '-1e999',
    '9007199254740993',
    '1e-400',
    '""',
    '" "',
    '"0"',
    '"-1"',
    '"1:23.456"',
    '"+1.234"',
    '"1L"',
    '"NaN"',
    '"true"',
    '"1e5"',
    '"__proto__"',
    '"constructor"',
    '"\\u0000"',
    '"\\ud800"',
    '"2025-02-30T25:61:61Z"',
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"":0}',
    '{"__proto__":{"x":1}}',
    '{"_kf":true}',
    '{"_deleted":["0","1","Lines"]}',
    '{"0":{},"1":null,"2":[]}',
    `"${'a'.repeat(3_000)}"`,
    `${'['.repeat(40)}${']'.repeat(40)}`,
  ),
  fc.json({ maxDepth: 2 }),
  fc.integer({ min: -5, max: 300 }).map(String),
  fc.integer({ min: 0, max: 99 }).map((number) => `"${number}"`),
);

interface Change {
  readonly part: number;
  readonly json: string;
  readonly how: 'replace' | 'remove' | 'add' | 'repeat';
}

const change: fc.Arbitrary<Change> = fc.record({
  part: place,
  json: oddJson,
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'repeat'),
});

const KEYS = ['__proto__', 'constructor', 'toString', '_kf', '_deleted', '0', '44', 'Lines', '', 'x'.repeat(300)];

/** The JSON with one to four of its values replaced, removed, repeated or extended. */
export function damagedJson(text: string): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(change, fc.constantFrom(...KEYS)), { minLength: 1, maxLength: 4, size: 'max' })
    .map((changes) => changes.reduce((json, [one, key]) => changed(json, one, key), text));
}

function changed(text: string, { part, json, how }: Change, key: string): string {
  const root = JSON.parse(text) as unknown;
  const places = placesOf(root);
  const chosen = places[Math.floor(part * places.length)];
  if (chosen === undefined) return json;
  const { holder, name } = chosen;
  // Some numbers do not survive a parser, so their text is inserted afterwards.
  const marker = 'a place that is filled in below';
  // An assignment to `__proto__` would not create a member of that name.
  const put = (value: unknown, at: string) =>
    Object.defineProperty(holder, at, { value, enumerable: true, configurable: true, writable: true });
  if (how === 'remove') delete holder[name];
  else if (how === 'repeat') put(holder[name], key);
  else put(marker, how === 'replace' ? name : key);
  const filled = JSON.stringify(root).replace(JSON.stringify(marker), () => json);
  return isReadable(filled) ? filled : text;
}

/** All members of all objects and lists. */
function placesOf(root: unknown): { readonly holder: Record<string, unknown>; readonly name: string }[] {
  const places: { holder: Record<string, unknown>; name: string }[] = [];
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 40) return;
    for (const [name, member] of Object.entries(value)) {
      places.push({ holder: value as Record<string, unknown>, name });
      walk(member, depth + 1);
    }
  };
  walk(root, 0);
  return places;
}

function isReadable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
