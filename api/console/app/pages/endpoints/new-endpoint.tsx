// Makes an endpoint, then shows its secret and what to do next.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CreateWebhookAnswer } from '#api/client/calls.ts';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { to } from '../../address.ts';
import { signIn } from '../../data/account.ts';
import { useKept } from '../../data/kept-draft.ts';
import { service } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyBlock } from '../../parts/copy.tsx';
import { Failure } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';
import { wishDeliveries } from '../theatre/delivery-wish.ts';
import { replayPath } from '../theatre/replay-address.ts';
import { ChoiceEditor } from './choice-editor.tsx';
import { DescriptionField, HeadersField, MethodField, SnapshotCheck, UrlField } from './endpoint-fields.tsx';
import { type FeedChoice, feedIdsOf } from './feed-choice.ts';
import { type FilterForm, filtersOf, NO_FILTERS } from './filter-form.ts';
import { DEMO_SESSION } from './match-preview.tsx';
import { parseHeaders } from './own-headers.ts';
import { isOwnMachine, OWN_URL, receiverCommand } from './receiver-code.ts';
import { TestButton } from './test-button.tsx';

const EMPTY = {
  url: isOwnMachine(globalThis.location?.hostname ?? '') ? OWN_URL : '',
  method: 'post' as 'post' | 'put',
  description: '',
  snapshot: false,
};

/** Few and easy to read, and in every plan. */
const FIRST_FEEDS = ['session.status', 'race-control.messages'];

interface Draft {
  readonly wish: typeof EMPTY;
  readonly choice: FeedChoice;
  readonly filters: FilterForm;
}

const FIRST_DRAFT: Draft = { wish: EMPTY, choice: { kind: 'these', feedIds: FIRST_FEEDS }, filters: NO_FILTERS };

export function NewEndpoint() {
  const [made, setMade] = useState<CreateWebhookAnswer | null>(null);
  return made === null ? <Form onMade={setMade} /> : <Made endpoint={made} />;
}

function Form({ onMade }: { readonly onMade: (endpoint: CreateWebhookAnswer) => void }) {
  const account = signIn.value.kind === 'in' ? signIn.value.account : null;
  const draft = useKept('new endpoint', () => FIRST_DRAFT);
  const { wish, choice, filters } = draft.value;
  // Headers are often secrets: they are not kept.
  const [headersText, setHeadersText] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<SlipstreamError | null>(null);
  const change = (part: Partial<typeof EMPTY>): void => draft.set({ ...draft.value, wish: { ...wish, ...part } });
  const headers = parseHeaders(headersText);
  const feedIds = feedIdsOf(choice);

  const submit = async (): Promise<void> => {
    if (headers.kind === 'wrong') return;
    setBusy(true);
    setFailure(null);
    try {
      const { url, method, description, snapshot } = wish;
      const order = { feedIds, filters: filtersOf(filters), headers: headers.headers, description, snapshot };
      onMade(await service.createWebhook({ webhookUrl: url.trim(), webhookMethod: method, ...order }));
    } catch (error) {
      setFailure(asError(error));
      setBusy(false);
    }
  };

  if (account === null) return null;
  return (
    <Page title={text.endpoints.newTitle} actions={<BackLink />}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {draft.isBack && (
          <div class="notice" role="status">
            {text.endpoints.draftIsBack}
          </div>
        )}
        <UrlField value={wish.url} onInput={(url) => change({ url })} />
        <Folded title={text.endpoints.moreFeeds} summary={summaryOf(choice)}>
          <ChoiceEditor
            terms={account.terms}
            choice={choice}
            onChoice={(next) => draft.set({ ...draft.value, choice: next })}
            filters={filters}
            onFilters={(next) => draft.set({ ...draft.value, filters: next })}
          />
        </Folded>
        <Folded
          title={text.endpoints.more}
          summary={headers.kind === 'wrong' ? text.endpoints.headersWrong(headers.line) : text.endpoints.moreHint}
        >
          <MethodField value={wish.method} onChange={(method) => change({ method })} />
          <div class="field-row">
            <DescriptionField value={wish.description} onInput={(description) => change({ description })} />
            <HeadersField value={headersText} onInput={setHeadersText} />
          </div>
          <SnapshotCheck checked={wish.snapshot} onChange={(snapshot) => change({ snapshot })} />
        </Folded>
        {failure !== null && <Failure error={failure} />}
        <div class="row">
          <Button kind="primary" type="submit" disabled={busy || feedIds.length === 0}>
            {text.endpoints.create}
          </Button>
          {feedIds.length === 0 && <span class="soft">{text.endpoints.needsFeed}</span>}
        </div>
      </form>
    </Page>
  );
}

interface FoldedProps {
  readonly title: string;
  readonly summary: string;
  readonly children: ComponentChildren;
}

/** What most people leave as it is. Nothing of it is loaded before it is opened. */
function Folded({ title, summary, children }: FoldedProps) {
  const [isOpened, setOpened] = useState(false);
  return (
    <details class="card" onToggle={() => setOpened(true)}>
      <summary>
        <strong>{title}</strong> <span class="soft small">{summary}</span>
      </summary>
      {isOpened && <div class="stack">{children}</div>}
    </details>
  );
}

function summaryOf(choice: FeedChoice): string {
  return choice.kind === 'everything' ? text.endpoints.everything : choice.feedIds.join(', ');
}

/** The only time that the secret comes without being asked for. It is gone when the page is left. */
function Made({ endpoint: { webhookId, webhookUrl, webhookSecret } }: { readonly endpoint: CreateWebhookAnswer }) {
  return (
    <Page title={text.endpoints.createdTitle} actions={<BackLink />}>
      <p class="wrap">{webhookUrl}</p>
      <section class="notice good">
        <p>{text.endpoints.secretOnce}</p>
        <div class="full">
          <CopyBlock value={webhookSecret} label={text.endpoints.secret} />
        </div>
      </section>
      <section class="card">
        <h2>{text.endpoints.createdNext}</h2>
        <ol class="stack">
          <li class="stack tight">
            <p>{text.endpoints.runReceiver}</p>
            <CopyBlock value={receiverCommand(webhookUrl, webhookSecret)} label={text.endpoints.receiver} />
            <a href={to('/docs/verifying')}>{text.endpoints.toVerify}</a>
          </li>
          <li class="stack tight">
            <p>{text.endpoints.tryIt}</p>
            <TestButton webhookId={webhookId} />
          </li>
          <li class="stack tight">
            <p>{text.endpoints.playIt}</p>
            <div class="row">
              <LinkButton
                kind="primary"
                path={replayPath(DEMO_SESSION, { speed: 10, sinks: 'both' })}
                onClick={() => wishDeliveries(DEMO_SESSION)}
              >
                {text.endpoints.toDemo}
              </LinkButton>
              <LinkButton path={`/console/endpoints/${webhookId}`}>{text.endpoints.toEndpoint}</LinkButton>
            </div>
          </li>
        </ol>
      </section>
    </Page>
  );
}

export function BackLink() {
  return (
    <LinkButton small path="/console/endpoints">
      {text.endpoints.back}
    </LinkButton>
  );
}
