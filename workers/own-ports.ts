// The ports on this machine that no delivery may reach. Replays and tests may go to localhost, where the service itself, its
// database and its mail server may listen, behind no firewall and often without a password.
//
// All threads share the list, because a setting of port 0 becomes a number only once the listener is open. A port is
// blocked whatever host its setting names: that host may be another name of this machine, or a tunnel to it.

import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { Config } from './config.ts';

/** The index of each port in the list. A value of 0 there means none. */
export const OWN_PORT = { service: 0, operators: 1, database: 2, mail: 3, liveTiming: 4, grpc: 5 } as const;

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'smtp:': 587,
  'smtps:': 465,
  'http:': 80,
  'https:': 443,
};

type Listeners = Pick<Config, 'port' | 'admin' | 'grpc' | 'smtpUrl' | 'liveTimingUrl'>;

export function ownPortsOf(
  { port, admin, grpc, smtpUrl, liveTimingUrl }: Listeners,
  database: Pick<ConnectionSettings, 'port' | 'group'>,
): Uint16Array<SharedArrayBuffer> {
  const named = Object.keys(OWN_PORT).length;
  // After those with an index: the other servers of the database.
  const others = database.group?.servers.slice(1) ?? [];
  const length = named + others.length;
  const ports = new Uint16Array(new SharedArrayBuffer(Uint16Array.BYTES_PER_ELEMENT * length));
  for (const [index, other] of others.entries()) ports[named + index] = other.port;
  ports[OWN_PORT.service] = port;
  ports[OWN_PORT.operators] = admin?.port ?? 0;
  ports[OWN_PORT.database] = database.port;
  ports[OWN_PORT.mail] = portOf(smtpUrl);
  ports[OWN_PORT.grpc] = grpc?.port ?? 0;
  ports[OWN_PORT.liveTiming] = portOf(liveTimingUrl);
  return ports;
}

function portOf(text: string | null): number {
  if (text === null) return 0;
  const { port, protocol } = new URL(text);
  return port === '' ? DEFAULT_PORTS[protocol]! : Number(port);
}
