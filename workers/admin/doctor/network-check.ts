// Checks the network: name resolution, certificates, and the servers that the settings name. Contacts no other address.

import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { DOCTOR_CONNECT_MS, RESOLVE_TRIES_MAX, RESOLVE_TRY_MS } from '#engine/base/limits.ts';
import { errorCode, errorText } from '#engine/storage/storage-error.ts';
import type { Config } from '#workers/config.ts';
import { type Found, ok, problem, warning } from './finding.ts';

const UNKNOWN_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);
const STRIPE = 'https://api.stripe.com';

export async function checkNetwork(env: Readonly<Record<string, string | undefined>>): Promise<readonly Found[]> {
  const extra = env.NODE_EXTRA_CA_CERTS;
  return [
    await resolves(),
    await checkNameServers(),
    rootCertificates.length > 0
      ? ok(`${rootCertificates.length} certificate authorities are known`)
      : problem('no certificate authorities are known: https deliveries fail', 'Use the Node of the project.'),
    ...(extra !== undefined && extra !== '' && !existsSync(extra)
      ? [warning(`NODE_EXTRA_CA_CERTS names ${extra}, which does not exist`, 'Correct the path.')]
      : []),
  ];
}

async function resolves(): Promise<Found> {
  return lookup('localhost').then(
    ({ address }) => ok(`localhost resolves to ${address}`),
    (error) => problem(`cannot resolve localhost: ${errorText(error)}`, 'Correct /etc/hosts and /etc/resolv.conf.'),
  );
}

/**
 * Queries the name servers directly, as deliveries do. Any of them answers for `localhost` without asking another
 * server.
 */
export async function checkNameServers(servers: readonly string[] | null = null): Promise<Found> {
  const resolver = new Resolver({ timeout: RESOLVE_TRY_MS, tries: RESOLVE_TRIES_MAX });
  if (servers !== null) resolver.setServers(servers);
  const addresses = resolver.getServers().join(', ');
  const good = ok(`the name servers answer (${addresses})`);
  return resolver.resolve4('localhost').then(
    () => good,
    (error) => {
      if (UNKNOWN_NAME.has(errorCode(error) ?? '')) return good;
      return warning(
        `no name server answers (${addresses}): ${errorText(error)}`,
        'Correct /etc/resolv.conf: without a name server, deliveries reach only this machine and IP addresses.',
      );
    },
  );
}

export async function checkLiveTiming({ liveTimingUrl }: Config): Promise<readonly Found[]> {
  return liveTimingUrl === null ? [ok('not set: no live timing')] : [await reach('LIVE_TIMING_URL', liveTimingUrl)];
}

export async function checkPayments({ stripe }: Config): Promise<readonly Found[]> {
  return stripe === null ? [ok('not set: no payments')] : [await reach('Stripe', STRIPE)];
}

export async function checkMail({ smtpUrl, mailFrom }: Config): Promise<readonly Found[]> {
  if (smtpUrl === null) return [ok('not set: mails are files in DATA_DIR/outbox')];
  const { NodemailerMailer } = await import('#api/mail/nodemailer-mailer.ts');
  const mailer = new NodemailerMailer({ smtpUrl, from: mailFrom, deadlineMs: DOCTOR_CONNECT_MS });
  try {
    await mailer.check();
    return [ok('the mail server accepts the credentials')];
  } catch (error) {
    return [problem(`SMTP_URL: ${errorText(error)}`, 'Check the address, port, user, password and firewall.')];
  } finally {
    mailer.close();
  }
}

/** Connects and, for https, checks the certificate. Sends no request. */
async function reach(name: string, address: string): Promise<Found> {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = secure ? connectTls({ host, port, servername: host }) : connect({ host, port });
  try {
    await once(socket, secure ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(DOCTOR_CONNECT_MS) });
    return ok(`${name}: ${url.host} accepts connections`);
  } catch (error) {
    const reason = errorCode(error) === 'ABORT_ERR' ? 'no answer in time' : errorText(error);
    return problem(
      `${name}: cannot reach ${url.host}: ${reason}`,
      'Check the address, the name server and the firewall.',
    );
  } finally {
    socket.destroy();
  }
}
