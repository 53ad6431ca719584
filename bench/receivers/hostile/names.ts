// Names that resolve to internal addresses, change, or do not resolve. No connection may reach the port behind any of
// them.

import { error, type Misbehaviour, type NameAnswer, type Outcome } from './misbehaviour.ts';

const INSIDE = error(/ has an address that is not allowed$/);
/** When the engine's clock leaps, the deadline may come before the lookup fails. */
const UNANSWERED = error(/^(EAI_AGAIN|timeout)$/);
const NO_SUCH_NAME = error(/^ENOTFOUND$/);

const PUBLIC = '93.184.216.34';
const REFUSED = 5;
const SERVFAIL = 2;
const NXDOMAIN = 3;
/** More than fit into a datagram, so the client asks again over TCP. */
const MANY = Array.from({ length: 2_000 }, (_, index) => `93.184.${Math.floor(index / 250)}.${(index % 250) + 1}`);

const named = (name: string, does: string, outcome: Outcome, answer: NameAnswer): Misbehaviour => ({
  name: `name-${name}`,
  does,
  outcome,
  over: 'soon',
  reused: 'no',
  by: { kind: 'name', answer },
});

const leadsTo = (name: string, does: string, v4: readonly string[], v6: readonly string[] = []): Misbehaviour =>
  named(name, does, INSIDE, { kind: 'addresses', v4, v6 });

export const NAMES: readonly Misbehaviour[] = [
  leadsTo('loopback', 'has the address 127.0.0.1', ['127.0.0.1']),
  leadsTo('private', 'has a private address', ['10.0.0.1']),
  leadsTo('metadata', 'has the address of a cloud metadata service', ['169.254.169.254']),
  leadsTo('one-private', 'has fifty public addresses and a private one', [...MANY.slice(0, 50), '192.168.0.1']),
  leadsTo('private-v6', 'has a public IPv4 address and a private IPv6 address', [PUBLIC], ['fd00::1']),
  leadsTo('mapped', 'has 127.0.0.1 as a mapped IPv6 address', [], ['::ffff:127.0.0.1']),
  leadsTo('nat64', 'has 10.0.0.1 as a NAT64 address', [], ['64:ff9b::a00:1']),
  named('huge', 'has two thousand addresses', error(/ has too many addresses$/), {
    kind: 'addresses',
    v4: [...MANY, '10.0.0.1'],
  }),
  named('rebinding', 'had a public address when the endpoint was created, and has 127.0.0.1 now', INSIDE, {
    kind: 'change',
    first: PUBLIC,
    after: '127.0.0.1',
  }),
  named('alias', 'is an alias of a name with a private address', INSIDE, {
    kind: 'alias',
    of: 'inside.example.com',
    address: '10.0.0.1',
  }),
  named('unknown', 'does not exist', NO_SUCH_NAME, { kind: 'code', code: NXDOMAIN }),
  named('empty', 'exists but has no address', NO_SUCH_NAME, { kind: 'addresses', v4: [] }),
  named('failing', 'has a name server that fails', UNANSWERED, { kind: 'code', code: SERVFAIL }),
  named('refused', 'has a name server that refuses the query', UNANSWERED, { kind: 'code', code: REFUSED }),
  named('silent', 'has a name server that never responds', UNANSWERED, { kind: 'silence' }),
  named('nonsense', 'has a name server that responds with garbage', UNANSWERED, { kind: 'nonsense' }),
];
