// The policy of webhook URLs as a table: which are accepted, which are refused and why. Addresses have their own test
// (special-addresses.test.ts).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WEBHOOK_URL_CHARS_MAX } from '#engine/base/limits.ts';
import { checkAddress, parseEndpointUrl } from '#engine/delivery/transport/url-policy.ts';
import { anyCharacter } from '#test/support/any-character.ts';

test('https URLs of public names and addresses are accepted as written', () => {
  for (const text of [
    'https://hooks.example.com',
    'https://hooks.example.com:8443/in/here?key=a%20b&x=1',
    'HTTPS://Hooks.Example.com/In',
    'https://93.184.216.34/in',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/in',
    'https://rennställe.example/in',
    'https://localhost.example.com/',
  ]) {
    const parsed = parseEndpointUrl(text);
    assert.ok('ok' in parsed, `${text}: ${JSON.stringify(parsed)}`);
    assert.equal(parsed.ok.text, text);
    assert.equal(parsed.ok.replayOnly, false);
  }
});

test('a host name with non-ASCII characters is still accepted after the runtime has compiled the parser', () => {
  for (let times = 0; times < 20_000; times++) parseEndpointUrl(`https://hooks.example.com/${times}`);
  assert.ok('ok' in parseEndpointUrl('https://rennställe.example/in'));
});

test('localhost, 127.0.0.1 and [::1] are accepted with http and https and marked as replay-only', () => {
  for (const text of [
    'http://localhost',
    'https://localhost:3000/in',
    'http://127.0.0.1:8080/x?y=1',
    'http://[::1]:9/',
    'http://LOCALHOST/',
  ]) {
    const parsed = parseEndpointUrl(text);
    assert.ok('ok' in parsed, text);
    assert.equal(parsed.ok.replayOnly, true);
  }
});

const REFUSED: readonly (readonly [text: string, because: RegExp])[] = [
  ['', /absolute/],
  ['hooks.example.com', /absolute/],
  ['ftp://hooks.example.com/', /absolute/],
  ['javascript:alert(1)', /absolute/],
  ['//hooks.example.com/', /absolute/],
  ['https:hooks.example.com', /absolute/],
  ['https:///path', /absolute/],
  ['http://hooks.example.com/', /https/],
  ['http://93.184.216.34/', /https/],
  ['https://user@hooks.example.com/', /user name/],
  ['https://user:pass@hooks.example.com/', /user name/],
  ['https://:pass@hooks.example.com/', /user name/],
  ['https://@hooks.example.com/', /user name/],
  ['https://hooks.example.com/#part', /fragment/],
  ['https://hooks.example.com/#', /fragment/],
  ['https://hooks.example.com:0/', /port 0/],
  ['https://hooks.example.com:99999/', /not a valid URL/],
  ['https://exa mple.com/', /spaces/],
  [' https://hooks.example.com/', /spaces/],
  ['https://hooks.example.com/\n', /spaces/],
  ['https://hooks.example.com\\@10.0.0.1/', /backslashes/],
  ['https://hooks.example.com/\ud800', /control characters/],
  ['https://a%00b.example.com/', /not a valid URL/],
  ['https://0.0.0.0/', /must not point/],
  ['https://10.1.2.3/', /must not point/],
  ['https://172.16.0.1/', /must not point/],
  ['https://192.168.1.1/', /must not point/],
  ['https://169.254.169.254/latest/meta-data', /must not point/],
  ['https://100.64.0.1/', /must not point/],
  ['https://100.100.100.200/', /must not point/],
  ['https://127.0.0.2/', /must not point/],
  ['https://192.0.0.192/', /must not point/],
  ['https://192.0.2.1/', /must not point/],
  ['https://198.18.0.1/', /must not point/],
  ['https://224.0.0.1/', /must not point/],
  ['https://240.0.0.1/', /must not point/],
  ['https://255.255.255.255/', /must not point/],
  ['https://0xa.0.0.1/', /must not point/],
  ['https://167772161/', /must not point/],
  ['https://012.0.0.1/', /must not point/],
  ['https://10.1/', /must not point/],
  ['https://１０.0.0.1/', /must not point/],
  ['https://10.0.0.1./', /must not point/],
  ['https://[::]/', /must not point/],
  ['https://[::ffff:10.0.0.1]/', /must not point/],
  ['https://[::ffff:127.0.0.1]/', /must not point/],
  ['https://[::ffff:93.184.216.34]/', /must not point/],
  ['https://[::127.0.0.1]/', /must not point/],
  ['https://[::a00:1]/', /must not point/],
  ['https://[64:ff9b::a00:1]/', /must not point/],
  ['https://[64:ff9b:1::a00:1]/', /must not point/],
  ['https://[2002:a00:1::]/', /must not point/],
  ['https://[2001::1]/', /must not point/],
  ['https://[2001:db8::1]/', /must not point/],
  ['https://[fc00::1]/', /must not point/],
  ['https://[fd00:ec2::254]/', /must not point/],
  ['https://[fe80::1]/', /must not point/],
  ['https://[fec0::1]/', /must not point/],
  ['https://[ff02::1]/', /must not point/],
  ['https://[100::1]/', /must not point/],
  ['http://app.localhost/', /under localhost/],
  ['http://localhost./', /under localhost/],
  [`https://hooks.example.com/${'x'.repeat(WEBHOOK_URL_CHARS_MAX)}`, /at most/],
  [`https://hooks.example.com/${'ü'.repeat(WEBHOOK_URL_CHARS_MAX / 3)}`, /at most/],
];

test('all other URLs are refused with a reason', () => {
  for (const [text, because] of REFUSED) {
    const parsed = parseEndpointUrl(text);
    assert.ok('violation' in parsed, `${text} is refused`);
    assert.match(parsed.violation, because, text);
  }
});

test('addresses are public, loopback or refused', () => {
  assert.equal(checkAddress('93.184.216.34'), 'public');
  assert.equal(checkAddress('2a00:1450:4001:80b::200e'), 'public');
  assert.equal(checkAddress('127.0.0.1'), 'loopback');
  assert.equal(checkAddress('::1'), 'loopback');
  for (const address of [
    '10.0.0.1',
    '::ffff:8.8.8.8',
    'fe80::1%eth0',
    '2a00:1450:4001:80b::200e%eth0',
    '::1%lo',
    '1.2.3',
    '0x7f000001',
    '010.8.8.8',
    '',
    'localhost',
  ]) {
    assert.equal(typeof checkAddress(address), 'object', address);
  }
});

const isRefused = (text: string): boolean => 'violation' in parseEndpointUrl(text);

test('every spelling of localhost is localhost, a name that only resembles it is a name, and names under it are refused', () => {
  const localhost = [
    'localhost',
    'LOCALHOST',
    'LocalHost',
    '\uff4cocalhost',
    'local\u00adhost',
    'loc%61lhost',
    '\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3',
  ];
  for (const host of localhost) {
    const parsed = parseEndpointUrl(`http://${host}:9000/`);
    assert.ok('ok' in parsed && parsed.ok.replayOnly && parsed.ok.host === 'localhost', host);
  }
  for (const host of [
    'localhost.',
    'a.localhost',
    'a.localhost.',
    'localhost\u3002',
    'x.y.LOCALHOST',
    'a\uff0elocalhost',
  ]) {
    assert.ok(isRefused(`https://${host}/`), host);
  }
  // Their addresses decide, at create and at every connection.
  for (const host of [
    'metadata.google.internal',
    'instance-data.ec2.internal',
    'localhost.localdomain',
    'ip6-localhost',
    'localtest.me',
    '10.0.0.1.nip.io',
    'localhost.example.com',
    'xn--bcher-kva.example',
    'b\u00fccher.example',
    'loc\u0430lhost',
    'kubernetes.default.svc.cluster.local',
    'router',
  ]) {
    const parsed = parseEndpointUrl(`https://${host}/`);
    assert.ok('ok' in parsed && parsed.ok.named && !parsed.ok.replayOnly, host);
    assert.ok(isRefused(`http://${host}/`), `${host} without TLS`);
  }
});

test('a URL on whose host two parsers disagree is refused, or called as it is parsed here', () => {
  const tricks: readonly (readonly [text: string, host: string | null])[] = [
    ['https://hooks.example.com@10.0.0.1/', null],
    ['https://hooks.example.com%40evil.example/', null],
    ['https://10.0.0.1\\@hooks.example.com/', null],
    ['https://hooks.example.com\\.10.0.0.1/', null],
    ['https://hooks.example.com#@10.0.0.1/', null],
    ['https://hooks.example.com?@10.0.0.1/', 'hooks.example.com'],
    ['https://hooks.example.com/@10.0.0.1/', 'hooks.example.com'],
    ['https://hooks.example.com:443@10.0.0.1/', null],
    ['https://hooks.example.com:80:10.0.0.1/', null],
    ['https://hooks.example.com:0443/', 'hooks.example.com'],
    ['https://hooks.example.com:00000000443/', 'hooks.example.com'],
    ['https://hooks.example.com:65536/', null],
    ['https://hooks.example.com:-1/', null],
    ['https://hooks.example.com:8\u0660/', null],
    ['https://hooks.example.com%00.10.0.0.1/', null],
    ['https://hooks.example.com%0d%0aHost:10.0.0.1/', null],
    ['https://hooks.example.com\t/', null],
    ['https://hooks.example\u2044com/', 'hooks.xn--examplecom-896e'],
    ['https://hooks.example.com\uff0f10.0.0.1/', null],
    ['https://hooks.example.com\uff20evil.example/', null],
    ['https://hooks.example.com\uff1a80/', null],
    ['https:\\\\10.0.0.1/', null],
    ['https:/10.0.0.1/', null],
    ['https:10.0.0.1', null],
    ['https://////10.0.0.1/', null],
    ['https://[::1%25lo]/', null],
    ['https://[fe80::1%25eth0]/', null],
    ['https://[::1', null],
    ['https://::1/', null],
    ['https://[127.0.0.1]/', null],
    ['https://1.2.3/', '1.2.0.3'],
    ['https://1.2.3.4.5/', null],
    ['https://256.1.1.1/', null],
    ['https://0x/', null],
    ['https://4294967296/', null],
    ['https://-1/', '-1'],
    ['https://./', null],
    ['https://../', null],
    ['https://a..b/', null],
    ['data:text/plain,x', null],
    ['file:///etc/passwd', null],
    ['gopher://10.0.0.1:25/_HELO', null],
    ['dict://127.0.0.1:11211/', null],
    ['unix:///run/docker.sock', null],
    ['http+unix://%2frun%2fdocker.sock/', null],
    ['ws://hooks.example.com/', null],
    ['httpss://hooks.example.com/', null],
    ['https', null],
  ];
  const read = tricks.map(([text]) => {
    const parsed = parseEndpointUrl(text);
    return [text, 'ok' in parsed ? parsed.ok.host : null];
  });
  assert.deepEqual(read, tricks);
});

test('no text makes the parser throw, and every URL that it accepts is https, or loopback for replays', () => {
  const pieces = fc.constantFrom(
    'https://',
    'http://',
    'a.example',
    '10.0.0.1',
    '[::1]',
    ':80',
    '/',
    '@',
    '#',
    '?',
    '\\',
    '%',
    ' ',
  );
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.webUrl(),
    fc.array(pieces).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseEndpointUrl(text);
      if ('violation' in parsed) return;
      const { url, replayOnly } = parsed.ok;
      assert.ok(url.protocol === 'https:' || replayOnly);
      assert.equal(url.username + url.password + url.hash, '');
    }),
  );
});
