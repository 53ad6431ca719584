// The request of a logged attempt, made again as it was sent. What cannot be made again is null, and a note says why.

import type { Static } from 'typebox';
import type { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { LoggedRequest, LogNote } from '#schemas/http/deliveries.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { maskedHeaders, openHeaders } from './custom-headers.ts';
import type { LoggedAttempt } from './delivery-log-store.ts';
import type { BodyGone, LoggedBody } from './logged-bodies.ts';
import { type LoggedSecrets, type SecretGone, secretsAt } from './logged-secrets.ts';
import type { WebhookRecord } from './webhook-store.ts';

export interface RequestMadeAgain {
  readonly request: Static<typeof LoggedRequest>;
  readonly notes: readonly Static<typeof LogNote>[];
}

const GONE: Readonly<Record<BodyGone | SecretGone, string>> = {
  test_sample: 'The sample of a test is not kept.',
  run_removed: 'The run is no longer kept, and only it says which update this was.',
  updates_not_at_hand:
    'The updates of the session are not at hand. POST /v1/simulate/prepare may make them again from the recording; then ' +
    'ask again.',
  updates_changed: 'Today the recording of the session has another update in this place.',
  secret_gone: 'The secret that signed it was replaced more than once since, or before the service kept the time.',
  secret_changing: 'The secret was replaced at that moment, so either of two may have signed it.',
};
const NO_BODY = 'A signature covers the body, which cannot be made again.';
const SIGNED_BY_TWO =
  'It was also signed with a secret that is gone, because the secret had been replaced less than a day before.';
const MAY_DIFFER =
  'The updates are made from the recording of the live session. They are what was sent, unless the service was ' +
  'upgraded since.';
const ENDPOINT_CHANGED = 'The endpoint was changed since. URL, method and your own headers are those of today.';

/** `endpoint` as it is today. `headers`: those of the attempt's run; null when that is gone. */
export function loggedRequest(
  attempt: LoggedAttempt,
  endpoint: WebhookRecord,
  headers: DeliveryHeaders | null,
  body: LoggedBody,
  secretBox: SecretBox,
): RequestMadeAgain {
  const notes: Static<typeof LogNote>[] = [];
  const note = (part: Static<typeof LogNote>['part'], reason: Static<typeof LogNote>['reason'], text: string): void =>
    void notes.push({ part, reason, text });

  if (endpoint.updatedAt > attempt.createdAt) note('url', 'endpoint_changed', ENDPOINT_CHANGED);
  if (headers === null) note('headers', 'run_removed', GONE.run_removed);
  if (body.kind === 'gone') note('body', body.why, GONE[body.why]);
  else if (!body.isSure) note('body', 'made_from_recording', MAY_DIFFER);

  const secrets = secretsAt(endpoint, attempt.createdAt.getTime());
  if (body.kind === 'gone') note('signatures', body.why, NO_BODY);
  else if (secrets.kind === 'gone') note('signatures', secrets.why, GONE[secrets.why]);
  else if (!secrets.isWhole) note('signatures', 'secret_gone', SIGNED_BY_TWO);

  const { protocol, host, pathname, search } = new URL(endpoint.url);
  const bytes = body.kind === 'found' ? body.bytes : null;
  const lines = headers === null ? null : linesOf(attempt, endpoint.webhookId, headers, bytes, secrets, secretBox);
  const own = maskedHeaders(openHeaders(endpoint.headersSealed, secretBox));
  const length = bytes === null ? null : String(bytes.length);
  return {
    request: {
      method: endpoint.method === 'put' ? 'PUT' : 'POST',
      url: `${protocol}//${host}${pathname}${search}`,
      headers: lines === null ? null : { host, ...lines, ...own, 'content-length': length },
      body: bytes === null ? null : Buffer.from(bytes).toString('utf8'),
    },
    notes,
  };
}

const NOTHING = new Uint8Array();
/** Of a secret that is gone. What it signs is left out. */
const NO_SECRET = '';

function linesOf(
  { feed, sequence, attempt, createdAt }: LoggedAttempt,
  webhookId: string,
  headers: DeliveryHeaders,
  body: Uint8Array | null,
  secrets: LoggedSecrets,
  secretBox: SecretBox,
): Record<string, string | null> {
  const isSigned = body !== null && secrets.kind === 'known';
  const previous = isSigned && secrets.previous !== null ? secrets.previous : null;
  const signer = new Signer(
    isSigned ? secretBox.open(secrets.current) : NO_SECRET,
    previous === null ? null : { secret: secretBox.open(previous.sealed), untilMs: previous.untilMs },
  );
  const idPrefix = headers.idPrefix(webhookId);
  const feedId = FEEDS[feed]?.feedId ?? '';
  const text = headers.forAttempt(signer, idPrefix, feedId, sequence, attempt, body ?? NOTHING, createdAt.getTime());
  const wasSignedByPrevious = secrets.kind === 'known' && (secrets.previous !== null || !secrets.isWhole);
  const lines: Record<string, string | null> = {};
  for (const line of text.split('\r\n').slice(0, -1)) {
    const colon = line.indexOf(': ');
    const name = line.slice(0, colon);
    const isLost = /signature/i.test(name) && !(isSigned && (secrets.isWhole || name !== 'webhook-signature'));
    lines[name] = isLost ? null : line.slice(colon + 2);
    if (name.endsWith('-Signature') && wasSignedByPrevious && previous === null) lines[`${name}-Previous`] = null;
  }
  return lines;
}
