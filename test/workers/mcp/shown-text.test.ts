import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiverText, shownTexts } from '#workers/mcp/shown-text.ts';

test('MC2: signing secrets, signatures and secrets of this program are covered wherever they stand', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const standard = `v1,${Buffer.alloc(32, 255).toString('base64')}`;
  const answer = {
    [`key ${secret}`]: [
      { text: `a ${secret} b` },
      `sha256=${'0a'.repeat(32)}`,
      `${standard} ${standard}`,
      'my own secret',
    ],
    number: 1,
    nothing: null,
    repeated: `"${standard.replaceAll('/', '\\/')}", sha256=0a0b0c0d0e`,
  };
  assert.deepEqual(shownTexts(answer, ['own secret']), {
    'key [not shown]': [{ text: 'a [not shown] b' }, '[not shown]', '[not shown] [not shown]', 'my [not shown]'],
    number: 1,
    nothing: null,
    repeated: '"[not shown]", [not shown]',
  });
});

test('MC2: what a receiver repeats of the headers that it got is covered, in any form', () => {
  for (const text of [
    'x-team-pass: hunter2',
    'X-TEAM-PASS=hunter2',
    '{"headers":{"X-Team-Pass":"hunter2"}}',
    '{"X-Team-Pass":["hunter2"]}',
    '["X-Team-Pass","hunter2","Accept","*/*"]',
    '"{\\"X-Team-Pass\\":\\"hunter2\\"}"',
    '{\n  "x-team-pass": [\n    "hunter2"\n  ]\n}',
    'X-Team-Pass: a"b<c}hunter2',
    'Authorization: Bearer hunter2',
    'Cookie: a=1; b=hunter2',
    // As PHP, Python and Ruby programs print them, and as markup.
    "{'HTTP_X_TEAM_PASS': 'hunter2', 'HTTP_ACCEPT': '*/*'}",
    '"HTTP_X_TEAM_PASS"=>"hunter2"',
    'HTTP_AUTHORIZATION=Bearer hunter2',
    'Array\n(\n    [X-Team-Pass] => hunter2\n)',
    'array(1) {\n  ["X-Team-Pass"]=>\n  string(7) "hunter2"\n}',
    "('X-Team-Pass', 'hunter2')",
    '<tr><td>X-Team-Pass</td>\n<td>hunter2</td></tr>',
    '<X-Team-Pass>hunter2</X-Team-Pass>',
  ]) {
    assert.doesNotMatch(receiverText(text, ['X-Team-Pass']), /hunter2/, text);
  }
  const plain = 'The signature is wrong: check the secret.\nX-Other: shown';
  assert.equal(receiverText(plain, ['X-Team-Pass']), plain);
});

test('MC3: characters that a person would not see are escapes', () => {
  const hidden = '\u202eabc\u200b\u{e0041}\u{fe0f}\u0007\u2028';
  assert.equal(shownTexts(hidden, []), '\\u{202e}abc\\u{200b}\\u{e0041}\\u{fe0f}\\u{7}\\u{2028}');
  assert.equal(shownTexts('Pérez\t"Checo"\n佐藤', []), 'Pérez\t"Checo"\n佐藤');
});
