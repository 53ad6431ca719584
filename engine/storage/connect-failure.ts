// Why the database cannot be used, in words for operators.

import { type ConnectionSettings, describeConnection, placeText } from './connection-settings.ts';
import { errorCode, errorText } from './storage-error.ts';

/** The problem is a clause that names the server and never a password. The next step may be empty. */
export interface ConnectFailure {
  readonly problem: string;
  readonly next: string;
}

const CERTIFICATE_CODE = /CERT|ISSUER|SIGNATURE|CHAIN|CRL/;
const NO_TLS_CODE = /^(ERR_SSL|EPROTO|ECONNRESET)/;

/** Explains with what a connection, or its first statement, failed. */
export function connectFailure(error: unknown, connection: ConnectionSettings): ConnectFailure {
  const { host, user, database, tls } = connection;
  const at = placeText(connection);
  const say = (problem: string, next = ''): ConnectFailure => ({ problem, next });
  const code = errorCode(error) ?? '';
  switch (code) {
    case 'NO_PRIMARY':
      return say(errorText(error), 'Start or promote one of them.');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return say(`cannot reach ${at}: the host name ${host} is unknown`, 'Check its spelling and the name server.');
    case 'ECONNREFUSED':
    case 'ENOENT':
      return say(`cannot reach ${at}: nothing listens there`, 'Check that the server is running, and its address.');
    case 'EACCES':
      return say(`cannot reach ${at}: this user may not open the socket`, 'Run as the user that runs the service.');
    case 'CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return say(`cannot reach ${at}: no answer (${code})`, 'Check the address and the firewall.');
    case 'CONNECTION_CLOSED':
      return say(`${at} closes the connection at once`, 'Check that PostgreSQL listens there, and sslmode.');
    case '28P01':
    case '28000':
      return say(`${at} refuses user ${user}`, "Check user and password, and the server's pg_hba.conf.");
    case '3D000':
      return say(`${at} has no database ${database}`, `Create it: create database "${database}" owner "${user}"`);
    case '42501':
      return say(`user ${user} lacks a permission on ${describeConnection(connection)}: ${errorText(error)}`);
    case '53300':
      return say(`${at} has no free connection`, 'Raise its max_connections, or lower SHARDS.');
    default:
      if (tls === 'verify-full' && CERTIFICATE_CODE.test(code))
        return say(
          `the certificate of ${at} is not valid (${code})`,
          'Name its authority in NODE_EXTRA_CA_CERTS; sslmode=require accepts any certificate.',
        );
      if (tls === 'verify-full' && NO_TLS_CODE.test(code))
        return say(`${at} does not speak TLS (${code})`, 'Turn it on there; sslmode=disable does without.');
      return say(`cannot use ${describeConnection(connection)}: ${errorText(error)}`);
  }
}

/** Both parts as one text. */
export function failureText({ problem, next }: ConnectFailure): string {
  return next === '' ? problem : `${problem}. ${next}`;
}
