// Checks the ports to listen on: each must be free, or in use by the service of this DATA_DIR.

import { DOCTOR_CONNECT_MS } from '#engine/base/limits.ts';
import { errorCode, errorText } from '#engine/storage/storage-error.ts';
import type { Config } from '#workers/config.ts';
import { whyNotListen } from '#workers/tried-port.ts';
import { type Found, ok, problem, warning } from './finding.ts';

/** `servicePid` is the service that runs on this DATA_DIR, or null. */
export async function checkPorts(config: Config, servicePid: number | null): Promise<readonly Found[]> {
  const { host, port, admin, grpc, cluster } = config;
  const found = [await checkPort('PORT', host, port, servicePid)];
  // Where nothing listens, nobody need be asked.
  const listens = found[0]!.level === 'ok';
  if (servicePid !== null && port !== 0 && listens) found.push(await askReadiness(host, port, servicePid));
  if (admin !== null) found.push(await checkPort('ADMIN_PORT', admin.host, admin.port, servicePid));
  if (grpc !== null) found.push(await checkPort('GRPC_PORT', host, grpc.port, servicePid));
  if (cluster !== null) found.push(await checkPort('CLUSTER_ADDRESS', cluster.host, cluster.port, servicePid));
  return found;
}

async function checkPort(setting: string, host: string, port: number, servicePid: number | null): Promise<Found> {
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  if (port === 0) return ok(`${setting} 0 takes any free port`);
  const refused = await whyNotListen(host, port);
  if (refused === null && servicePid === null) return ok(`${setting}: ${place} is free`);
  if (refused === null) {
    return warning(
      `${setting}: the service (process ${servicePid}) does not listen on ${place}`,
      'Run the doctor with the settings of the service. If it has just begun, wait until it is ready.',
    );
  }
  switch (errorCode(refused)) {
    case 'EADDRINUSE':
      if (servicePid !== null)
        return ok(`${setting}: ${place} is in use, as expected while the service runs (process ${servicePid})`);
      return problem(`${setting}: another program listens on ${place}`, `Stop it, or choose another ${setting}.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return problem(`${setting}: ${host} is not an address of this machine`, 'Correct the address.');
    case 'EACCES':
      return problem(`${setting}: this user may not listen on ${place}`, 'Choose a port above 1023, behind a proxy.');
    default:
      return problem(`${setting}: cannot use ${place}: ${errorText(refused)}`, 'Choose another address or port.');
  }
}

async function askReadiness(host: string, port: number, servicePid: number): Promise<Found> {
  const there = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${there}:${port}/readyz`, { signal: AbortSignal.timeout(DOCTOR_CONNECT_MS) });
    const body = (await response.json()) as { status?: string; error?: string };
    if (response.status === 200 && body.status === 'ready') return ok(`the service is ready (process ${servicePid})`);
    return problem(`the service says: ${body.error ?? `status ${response.status}`}`, 'See its log.');
  } catch (error) {
    return problem(
      `the service (process ${servicePid}) does not answer GET /readyz: ${errorText(error)}`,
      'See its log; restart it if it hangs.',
    );
  }
}
