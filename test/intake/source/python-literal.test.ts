import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MERGE_DEPTH_MAX } from '#engine/base/limits.ts';
import { LineProblem } from '#engine/intake/source/line-problem.ts';
import { jsonOfPythonLiteral } from '#engine/intake/source/python-literal.ts';

function columnOf(text: string, pattern: RegExp): number | undefined {
  try {
    jsonOfPythonLiteral(text);
  } catch (error) {
    assert.ok(error instanceof LineProblem, String(error));
    assert.match(error.message, pattern, text);
    return error.column;
  }
  return assert.fail(`${text} was accepted`);
}

/** The value as Python's repr writes it. */
function repr(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const escaped = value
      .replaceAll('\\', '\\\\')
      .replaceAll(quote, `\\${quote}`)
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r')
      .replaceAll('\t', '\\t')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is meant
      .replace(/[\0-\x1f\x7f]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
    return quote + escaped + quote;
  }
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, entry]) => `${repr(key)}: ${repr(entry)}`)
      .join(', ')}}`;
  }
  return String(value);
}

test('a value that Python writes is read as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      assert.deepEqual(JSON.parse(jsonOfPythonLiteral(repr(plain))), plain);
    }),
    { numRuns: 500 },
  );
});

test('every kind of literal becomes JSON', () => {
  for (const [python, json] of [
    ['[]', '[]'],
    [' [ 1 , 2, ] ', '[1,2]'],
    ['()', '[]'],
    ['(1,)', '[1]'],
    ["('a', 'b')", '["a","b"]'],
    ['{}', '{}'],
    ["{'b': True, 'a': False, 10: None}", '{"b":true,"a":false,"10":null}'],
    ['[-1, 1.50, 1e5, +2, 1., .5, 00]', '[-1,1.50,1e5,2,1,0.5,0]'],
    ['[12345678901234567890]', '[12345678901234567890]'],
    [`["it's", 'a "b"', "\\"", '\\'']`, '["it\'s","a \\"b\\"","\\"","\'"]'],
    ["'\\\\ \\n \\t \\x41 \\u00e9 \\U0001F3C1 \\101 \\0'", '"\\\\ \\n \\t A é 🏁 A \\u0000"'],
    ["'Pérez 🏁'", '"Pérez 🏁"'],
    ["'\\ud800'", '"\\ud800"'],
    ["{'__proto__': {'a': 1}}", '{"__proto__":{"a":1}}'],
  ] as const) {
    assert.equal(jsonOfPythonLiteral(python), json, python);
  }
});

test('text that is no literal, or has no counterpart in JSON, is refused with its column', () => {
  for (const [text, column, pattern] of [
    ['', 1, /the line ends/],
    ["['TimingData', {'Lines': {'5'", 30, /":" should follow/],
    ["['TimingData', {'Lines': ", 26, /the line ends/],
    ["['Timing", 9, /a string has no end/],
    ["['a' 'b']", 6, /"," or "]" should follow/],
    ['[1, 2', 6, /"," or "]" should follow/],
    ['[1] [2]', 5, /something follows/],
    ['[true]', 2, /cannot hold this value/],
    ['[null]', 2, /cannot hold this value/],
    ['[nan, 1]', 2, /cannot hold this value/],
    ["[b'x']", 2, /cannot hold this value/],
    ['[__import__]', 2, /cannot hold this value/],
    ['[1e999]', 2, /cannot hold this number/],
    ['[012]', 2, /cannot hold this number/],
    ['[0x1f]', 2, /cannot hold this number/],
    ['[1j]', 2, /cannot hold this number/],
    ['[1_000]', 2, /cannot hold this number/],
    ['(1)', 1, /a tuple of one value needs a comma/],
    ["{'a'}", 5, /":" should follow/],
    ['{None: 1}', 2, /neither a string nor an integer/],
    ['{(1,): 1}', 2, /neither a string nor an integer/],
    ["['\\q']", 3, /unknown escape/],
    ["['\\x4']", 3, /not a character/],
    ["['\\U00110000']", 3, /not a character/],
    ["['\\N{DASH}']", 3, /unknown escape/],
    ['[,]', 2, /cannot hold this value/],
  ] as const) {
    assert.equal(columnOf(text, pattern), column, text);
  }
});

test('nesting is bounded, a little above the bound of messages', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  jsonOfPythonLiteral(nested(MERGE_DEPTH_MAX + 2));
  columnOf(nested(MERGE_DEPTH_MAX + 3), /nested more than/);
  columnOf('['.repeat(1_000_000), /nested more than/);
});
