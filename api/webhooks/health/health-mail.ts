// The text of a mail about endpoints. Of a URL it has the host only: paths and queries often hold a secret.

import { HEALTH_MAIL_ENDPOINTS_MAX } from '#engine/base/limits.ts';
import type { HealthNotice, NoticedEndpoint } from './health-mail-store.ts';

/** Subject and text of the email. */
export function healthMail({ news, endpoints }: HealthNotice): { subject: string; text: string } {
  const count = endpoints.length;
  const what = count === 1 ? 'An endpoint' : `${count} endpoints`;
  const is = count === 1 ? 'is' : 'are';
  const named = endpoints
    .slice(0, HEALTH_MAIL_ENDPOINTS_MAX)
    .map((endpoint) => (news === 'failing' ? failing(endpoint) : well(endpoint)));
  if (count > HEALTH_MAIL_ENDPOINTS_MAX) named.push(`- and ${count - HEALTH_MAIL_ENDPOINTS_MAX} more`);
  const next =
    news === 'failing'
      ? [
          'Each update is tried four times within 36 seconds. POST /v1/webhooks/ID/resend sends what failed once more.',
          'GET /v1/webhooks/ID/logs?outcome=failed shows what was sent, and what came back.',
          'You get another mail when it works.',
        ]
      : ['GET /v1/webhooks shows under health how many updates of live sessions were missed.'];
  return {
    subject: `Slipstream: ${what.toLowerCase()} ${news === 'failing' ? `${is} failing` : `${is} well again`}`,
    text: [
      news === 'failing' ? `${what} ${is} refusing or missing deliveries:` : `${what} ${is} taking deliveries again:`,
      '',
      ...named,
      '',
      ...next,
    ].join('\n'),
  };
}

function failing(endpoint: NoticedEndpoint): string {
  const { lastFailure, since } = endpoint;
  const reason =
    lastFailure === null
      ? ''
      : `, last: ${lastFailure.statusCode === null ? lastFailure.code : `HTTP ${lastFailure.statusCode}`}`;
  return `- ${nameOf(endpoint)}, since ${since.toISOString()}${reason}`;
}

function well(endpoint: NoticedEndpoint): string {
  return `- ${nameOf(endpoint)}, since ${endpoint.since.toISOString()}`;
}

function nameOf({ webhookId, url }: NoticedEndpoint): string {
  return `${webhookId} (${new URL(url).host})`;
}
