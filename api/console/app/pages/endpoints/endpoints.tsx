// The endpoints of the account and how they stand.

import { useEffect, useState } from 'preact/hooks';
import type { WebhookEndpoint } from '#api/client/calls.ts';
import { to } from '../../address.ts';
import { signIn } from '../../data/account.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { text } from '../../text/text.ts';
import { msText, percentText } from './amounts.ts';
import { deleted } from './deletions.ts';
import { standingOf, TONES } from './standing.ts';

const PAGE = 50;
const REFRESH_MS = 10_000;
/** Fifty rows ask for their last attempt this often: half of what a page may ask for in an hour. */
const LAST_REFRESH_MS = 60_000;

export function Endpoints() {
  const [offset, setOffset] = useState(0);
  const most = signIn.value.kind === 'in' ? signIn.value.account.terms.endpoints : 0;
  const load = useLoad((signal) => service.listWebhooks({ limit: PAGE, offset }, { signal }), [offset], {
    everyMs: REFRESH_MS,
  });
  // The last endpoint of this page may be deleted by now.
  useEffect(() => {
    if (load.kind === 'ready' && offset > 0 && offset >= load.value.total)
      setOffset(PAGE * Math.max(0, Math.ceil(load.value.total / PAGE) - 1));
  }, [load]);
  const hasRoom = load.kind !== 'ready' || load.value.total < most;
  return (
    <Page
      title={text.endpoints.title}
      actions={
        hasRoom && (
          <LinkButton kind="primary" path="/console/endpoints/new">
            {text.endpoints.make}
          </LinkButton>
        )
      }
    >
      <Loaded load={load}>
        {({ endpoints, total }) =>
          total === 0 ? (
            <Empty title={text.endpoints.noneTitle}>
              <p>{text.endpoints.none}</p>
              <LinkButton kind="primary" path="/console/endpoints/new">
                {text.endpoints.makeFirst}
              </LinkButton>
            </Empty>
          ) : (
            <div class="stack">
              <p class="soft">{text.endpoints.room(total, most)}</p>
              {!hasRoom && (
                <div class="notice warn">
                  <p>{text.endpoints.full}</p>
                  <LinkButton small path="/console/usage">
                    {text.endpoints.plans}
                  </LinkButton>
                </div>
              )}
              <ul class="endpoint-list">
                {endpoints.map((endpoint) => (
                  <Row key={endpoint.webhookId} endpoint={endpoint} />
                ))}
              </ul>
              {total > PAGE && (
                <div class="row">
                  <Button disabled={offset === 0} onClick={() => setOffset(offset - PAGE)}>
                    {text.endpoints.fewerEndpoints}
                  </Button>
                  <Button disabled={offset + PAGE >= total} onClick={() => setOffset(offset + PAGE)}>
                    {text.endpoints.moreEndpoints}
                  </Button>
                </div>
              )}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function Row({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { webhookId, webhookUrl, description, feedCount, health } = endpoint;
  return (
    <li class="card endpoint-row">
      <div class="stack tight">
        <a class="endpoint-url" href={to(`/console/endpoints/${webhookId}`)}>
          {webhookUrl}
        </a>
        {description !== '' && <span class="small soft wrap">{description}</span>}
        <div class="row">
          {deleted.value.has(webhookId) ? (
            <span class="badge warn">{text.endpoints.beingDeleted}</span>
          ) : (
            <StandingBadge endpoint={endpoint} />
          )}
          {health.missedUpdates > 0 && <span class="badge warn">{text.endpoints.missed(health.missedUpdates)}</span>}
        </div>
      </div>
      <dl class="facts">
        <div>
          <dt>{text.endpoints.feeds}</dt>
          <dd>{feedCount}</dd>
        </div>
        <div>
          <dt>{text.endpoints.lastHour}</dt>
          <dd>
            {health.attempts === 0
              ? text.endpoints.noAttempts
              : `${text.endpoints.attempts(health.attempts)}, ${text.endpoints.share(percentText(health.successShare ?? 0))}`}
            {health.p95LatencyMs !== null && `, ${text.endpoints.p95(msText(health.p95LatencyMs))}`}
          </dd>
        </div>
        <div>
          <dt>{text.endpoints.lastDelivery}</dt>
          <dd>
            <LastAttempt webhookId={webhookId} />
          </dd>
        </div>
      </dl>
    </li>
  );
}

/** Asked for each endpoint: the list itself does not have it. */
function LastAttempt({ webhookId }: { readonly webhookId: string }) {
  const load = useLoad((signal) => service.listDeliveryLog({ webhookId, limit: 1 }, { signal }), [webhookId], {
    everyMs: LAST_REFRESH_MS,
  });
  if (load.kind !== 'ready') return <span class="soft">{load.kind === 'failed' ? text.endpoints.notKnown : '…'}</span>;
  const last = load.value.logs[0];
  if (last === undefined) return <span class="soft">{text.endpoints.neverSent}</span>;
  return (
    <>
      <Time at={last.createdAt} />{' '}
      <span class={`badge ${last.outcome === 'delivered' ? 'good' : 'bad'}`}>
        {text.endpoints.outcomes[last.outcome]}
      </span>
    </>
  );
}

export function StandingBadge({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const standing = standingOf(endpoint);
  return <span class={`badge ${TONES[standing]}`}>{text.endpoints.standings[standing]}</span>;
}
