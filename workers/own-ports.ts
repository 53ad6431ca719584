// The ports of this machine that no delivery may reach, whatever a URL calls the machine: replays go to localhost, where the
// service itself and what it relies on may be listening, behind no firewall and often without a password.
//
// Shared by all threads, since those of a port 0 are known only once somebody listens. A port counts whatever host its setting
// names: a second name of this machine, or a tunnel, would not be known as such.

import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { Config } from './config.ts';

/** Where each stands; 0 is none. */
export const OWN_PORT = { service: 0, operators: 1, database: 2, mail: 3, liveTiming: 4 } as const;

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'smtp:': 587,
  'smtps:': 465,
  'http:': 80,
  'https:': 443,
};

type Listeners = Pick<Config, 'port' | 'admin' | 'smtpUrl' | 'liveTimingUrl'>;

export function ownPortsOf(
  { port, admin, smtpUrl, liveTimingUrl }: Listeners,
  database: Pick<ConnectionSettings, 'port'>,
): Uint16Array<SharedArrayBuffer> {
  const ports = new Uint16Array(new SharedArrayBuffer(Uint16Array.BYTES_PER_ELEMENT * Object.keys(OWN_PORT).length));
  ports[OWN_PORT.service] = port;
  ports[OWN_PORT.operators] = admin?.port ?? 0;
  ports[OWN_PORT.database] = database.port;
  ports[OWN_PORT.mail] = portOf(smtpUrl);
  ports[OWN_PORT.liveTiming] = portOf(liveTimingUrl);
  return ports;
}

function portOf(text: string | null): number {
  if (text === null) return 0;
  const { port, protocol } = new URL(text);
  return port === '' ? DEFAULT_PORTS[protocol]! : Number(port);
}
