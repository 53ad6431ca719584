// Which addresses are refused, in whatever spelling or costume, beside an independent statement of which ones are
// special (address-ranges.ts).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkAddress, parseEndpointUrl } from '#engine/delivery/transport/url-policy.ts';
import {
  boundaries,
  groupsOf,
  isLoopback,
  isPublic,
  RANGES_V4,
  RANGES_V6,
  writeV4,
  writeV6,
} from './address-ranges.ts';

/** The same address of IPv4 as URLs can spell it; every browser reads all of these. */
function spellings(value: bigint): readonly (readonly [text: string, how: string])[] {
  const parts = writeV4(value).split('.').map(Number) as [number, number, number, number];
  const [a, b, c, d] = parts;
  const wide = (text: string): string =>
    [...text].map((digit) => String.fromCodePoint(digit.codePointAt(0)! + 0xfee0)).join('');
  return [
    [String(value), 'decimal'],
    [`0x${value.toString(16)}`, 'hexadecimal'],
    [`0X${value.toString(16).toUpperCase()}`, 'hexadecimal in capitals'],
    [`0${value.toString(8)}`, 'octal'],
    [parts.map((part) => `0${part.toString(8)}`).join('.'), 'octal parts'],
    [parts.map((part) => `0000000${part.toString(8)}`).join('.'), 'octal parts with many zeros'],
    [parts.map((part) => `0x${part.toString(16)}`).join('.'), 'hexadecimal parts'],
    [`${a}.${b}.${(c << 8) | d}`, 'three parts'],
    [`${a}.${(b << 16) | (c << 8) | d}`, 'two parts'],
    [`0x${a.toString(16)}.0${b.toString(8)}.${c}.${d}`, 'mixed parts'],
    [`${parts.join('.')}.`, 'point at the end'],
    [parts.map((part) => wide(String(part))).join('.'), 'fullwidth digits'],
    [parts.join('\u3002'), 'ideographic points'],
    [parts.join('\uff0e'), 'fullwidth points'],
    [parts.join('\uff61'), 'halfwidth points'],
    [parts.join('%2e'), 'escaped points'],
    [[...parts.join('.')].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''), 'all escaped'],
  ];
}

/** Addresses of IPv6 that lead, or once led, to one of IPv4. */
function costumes(value: bigint): readonly (readonly [text: string, how: string])[] {
  const [high, low] = groupsOf(value).slice(6) as [string, string];
  const inverted = groupsOf(value ^ 0xffff_ffffn)
    .slice(6)
    .join(':');
  const v4 = writeV4(value);
  return [
    [`::ffff:${high}:${low}`, 'mapped'],
    [`::ffff:${v4}`, 'mapped, with points'],
    [`0:0:0:0:0:ffff:${high}:${low}`, 'mapped, in full'],
    [`::${high}:${low}`, 'compatible'],
    [`::${v4}`, 'compatible, with points'],
    [`::ffff:0:${high}:${low}`, 'translated'],
    [`64:ff9b::${high}:${low}`, 'NAT64'],
    [`64:ff9b::${v4}`, 'NAT64, with points'],
    [`64:ff9b:1::${high}:${low}`, 'local NAT64'],
    [`2002:${high}:${low}::`, '6to4'],
    [`2002:${high}:${low}::1`, '6to4 host'],
    [`2001:0:4136:e378:8000:63bf:${inverted}`, 'Teredo'],
    [`2a00:1450:4001:80b:0:5efe:${high}:${low}`, 'ISATAP'],
    [`2a00:1450:4001:80b:200:5efe:${high}:${low}`, 'ISATAP, global'],
    [`fe80::5efe:${high}:${low}`, 'ISATAP, link-local'],
  ];
}

const INSIDE_V4 = [
  '10.0.0.1',
  '127.0.0.2',
  '169.254.169.254',
  '172.31.255.254',
  '192.168.1.1',
  '100.100.100.200',
  '0.0.0.0',
];
const readV4 = (text: string): bigint => text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
const isRefused = (text: string): boolean => 'violation' in parseEndpointUrl(text);

test('the first, the middle and the last address of every special range are refused, and those beside it are judged by their own', (t) => {
  const counts = { refused: 0, accepted: 0 };
  for (const { value, bits, text, what } of [...boundaries(RANGES_V4), ...boundaries(RANGES_V6)]) {
    const expected = isLoopback(value, bits) ? 'loopback' : isPublic(value, bits) ? 'public' : 'refused';
    const verdict = checkAddress(text);
    assert.equal(typeof verdict === 'string' ? verdict : 'refused', expected, `${text}: ${what}`);
    const url = bits === 32 ? `https://${text}/` : `https://[${text}]/`;
    assert.equal(isRefused(url), expected === 'refused', `${url}: ${what}`);
    counts[expected === 'refused' ? 'refused' : 'accepted']++;
  }
  t.diagnostic(`boundaries of special ranges: ${counts.refused} refused, ${counts.accepted} accepted`);
});

test('an address inside is refused in every spelling, and a public one is called as the URL parser reads it', (t) => {
  let refused = 0;
  for (const inside of INSIDE_V4) {
    for (const [text, how] of spellings(readV4(inside))) {
      assert.ok(isRefused(`https://${text}/`), `${inside}, ${how}: ${text}`);
      refused++;
    }
    for (const [text, how] of costumes(readV4(inside))) {
      assert.ok(isRefused(`https://[${text}]/`), `${inside}, ${how}: ${text}`);
      assert.equal(typeof checkAddress(text), 'object', `${inside}, ${how}: ${text}`);
      refused++;
    }
  }
  const open = '93.184.216.34';
  for (const [text, how] of spellings(readV4(open))) {
    const parsed = parseEndpointUrl(`https://${text}/`);
    // A point at the end and escapes are read away, too.
    assert.ok('ok' in parsed && parsed.ok.host === open && !parsed.ok.named, `${how}: ${text}`);
  }
  t.diagnostic(`spellings and costumes: ${refused} refused, ${spellings(0n).length} accepted`);
});

test('127.0.0.1 in another spelling is 127.0.0.1, in a costume of IPv6 it is refused', () => {
  for (const [text, how] of spellings(readV4('127.0.0.1'))) {
    const parsed = parseEndpointUrl(`http://${text}:9000/`);
    assert.ok('ok' in parsed && parsed.ok.replayOnly && parsed.ok.url.hostname === '127.0.0.1', `${how}: ${text}`);
  }
  for (const [text, how] of costumes(readV4('127.0.0.1'))) assert.ok(isRefused(`http://[${text}]:9000/`), how);
});

test('a property: an address is public exactly where the registries say so', (t) => {
  let cases = 0;
  // Anything, and the neighbourhood of every boundary, which chance alone would not find.
  const edges = [...RANGES_V4, ...RANGES_V6].flatMap(({ first, last, bits }) => [
    { at: first, bits },
    { at: last, bits },
  ]);
  const near = fc
    .tuple(fc.constantFrom(...edges), fc.bigInt(-300n, 300n))
    .map(([{ at, bits }, by]) => ({ value: BigInt.asUintN(bits, at + by), bits }));
  const anyV4 = fc.bigInt(0n, 2n ** 32n - 1n).map((value) => ({ value, bits: 32 as const }));
  const anyV6 = fc.bigInt(0n, 2n ** 128n - 1n).map((value) => ({ value, bits: 128 as const }));
  const globalV6 = fc.bigInt(2n ** 125n, 2n ** 126n - 1n).map((value) => ({ value, bits: 128 as const }));
  fc.assert(
    fc.property(fc.oneof(near, anyV4, anyV6, globalV6), ({ value, bits }) => {
      cases++;
      const long = bits === 32 ? writeV4(value) : writeV6(value);
      const texts =
        bits === 32 ? [long] : [long, long.toUpperCase(), new URL(`http://[${long}]`).hostname.slice(1, -1)];
      const expected = isLoopback(value, bits) ? 'loopback' : isPublic(value, bits) ? 'public' : 'refused';
      for (const text of texts) {
        const verdict = checkAddress(text);
        assert.equal(typeof verdict === 'string' ? verdict : 'refused', expected, text);
      }
      const parsed = parseEndpointUrl(bits === 32 ? `https://${long}/` : `https://[${long}]/`);
      assert.equal('ok' in parsed, expected !== 'refused', long);
    }),
    { numRuns: 5_000 },
  );
  t.diagnostic(`addresses tried: ${cases}`);
});

test('an IPv4 address in an IPv6 costume is never public', () => {
  fc.assert(
    fc.property(fc.ipV4(), (v4) => {
      const hex = v4.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
      const tail = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`;
      for (const address of [`::ffff:${tail}`, `64:ff9b::${tail}`, `2002:${tail}::`, `::${tail}`, `::ffff:0:${tail}`]) {
        assert.notEqual(checkAddress(address), 'public', address);
      }
    }),
  );
});
