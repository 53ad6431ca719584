// One endpoint: its deliveries, plots of them, and its settings.

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { WebhookEndpoint } from '#api/client/calls.ts';
import { to } from '../../address.ts';
import { service } from '../../data/service.ts';
import { asError, useLoad } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { text } from '../../text/text.ts';
import { deleted, deleteLater } from './deletions.ts';
import { Deliveries } from './deliveries.tsx';
import { StandingBadge } from './endpoints.tsx';
import { BackLink } from './new-endpoint.tsx';
import { LogPlots } from './plots.tsx';
import { Settings } from './settings.tsx';
import { TestButton } from './test-button.tsx';

const REFRESH_MS = 10_000;
const TABS = [
  { name: 'deliveries', label: text.endpoints.deliveries },
  { name: 'plots', label: text.endpoints.plots },
  { name: 'settings', label: text.endpoints.settings },
] as const;

export function Endpoint({ id }: { readonly id: string }) {
  const [tab, setTab] = useState<(typeof TABS)[number]['name']>('deliveries');
  const load = useLoad((signal) => service.getWebhook({ webhookId: id }, { signal }), [id], { everyMs: REFRESH_MS });
  return (
    <Page title={text.endpoints.endpoint} actions={<BackLink />}>
      <Loaded load={load}>
        {(endpoint) => (
          <div class="stack">
            <Head endpoint={endpoint} reload={load.reload} />
            <Tabs label={text.endpoints.tabs} tabs={TABS} chosen={tab} onChoose={setTab}>
              {tab === 'deliveries' && <Deliveries endpoint={endpoint} />}
              {tab === 'plots' && <LogPlots webhookId={id} />}
              {tab === 'settings' && <Settings endpoint={endpoint} reload={load.reload} />}
            </Tabs>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface HeadProps {
  readonly endpoint: WebhookEndpoint;
  readonly reload: () => void;
}

function Head({ endpoint, reload }: HeadProps) {
  const { webhookId, webhookUrl, description, active, suspended, health } = endpoint;
  const { route } = useLocation();
  const [busy, setBusy] = useState(false);
  const turn = async (): Promise<void> => {
    setBusy(true);
    try {
      await service.changeWebhook({ webhookId, active: !active });
      toast({ message: active ? text.endpoints.isPaused : text.endpoints.isResumed });
      reload();
    } catch (failure) {
      toast({ message: asError(failure).message });
    } finally {
      setBusy(false);
    }
  };
  const remove = (): void => {
    void deleteLater(webhookId, webhookUrl);
    route(to('/console/endpoints'));
  };
  return (
    <section class="stack tight">
      <p class="endpoint-url">{webhookUrl}</p>
      {description !== '' && <p class="soft wrap">{description}</p>}
      <div class="row">
        <StandingBadge endpoint={endpoint} />
        {health.failingSince !== null && (
          <span class="small soft">
            {text.endpoints.failingSince} <Time at={health.failingSince} />
          </span>
        )}
        {health.lastFailure !== null && (
          <span class="small soft">
            {text.endpoints.lastFailure}: <Time at={health.lastFailure.at} />, <code>{health.lastFailure.code}</code>
          </span>
        )}
        {health.missedUpdates > 0 && <span class="badge warn">{text.endpoints.missed(health.missedUpdates)}</span>}
      </div>
      {deleted.value.has(webhookId) && <div class="notice warn">{text.endpoints.goneTitle}</div>}
      {suspended !== null && <div class="notice warn">{text.endpoints.suspendedNotice}</div>}
      {!active && <div class="notice warn">{text.endpoints.pausedNotice}</div>}
      <TestButton webhookId={webhookId}>
        <Button disabled={busy} onClick={() => void turn()}>
          {active ? text.endpoints.pause : text.endpoints.resume}
        </Button>
        <Button kind="danger" disabled={deleted.value.has(webhookId)} onClick={remove}>
          {text.endpoints.remove}
        </Button>
      </TestButton>
    </section>
  );
}
