// The settings of an endpoint, each part saved by itself.

import { useState } from 'preact/hooks';
import type { ChangeWebhookRequest, Filters, Subscription, WebhookEndpoint } from '#api/client/calls.ts';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { signIn } from '../../data/account.ts';
import { service } from '../../data/service.ts';
import { useEdits } from '../../data/use-edits.ts';
import { asError } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/loaded.tsx';
import { toast } from '../../parts/toasts.tsx';
import { text } from '../../text/text.ts';
import { ChoiceEditor } from './choice-editor.tsx';
import { DescriptionField, HeadersField, MethodField, SnapshotCheck, UrlField } from './endpoint-fields.tsx';
import { choiceOf, feedIdsOf } from './feed-choice.ts';
import { filtersOf, formOf } from './filter-form.ts';
import { parseHeaders } from './own-headers.ts';
import { SecretPart } from './secret-part.tsx';

export interface SettingsProps {
  readonly endpoint: WebhookEndpoint;
  readonly reload: () => void;
}

/** The long parts come last: with every feed, its own filters alone are over 70 stops of Tab. */
export function Settings({ endpoint, reload }: SettingsProps) {
  return (
    <div class="stack">
      <General endpoint={endpoint} reload={reload} />
      <SecretPart webhookId={endpoint.webhookId} />
      <Headers endpoint={endpoint} reload={reload} />
      <Feeds endpoint={endpoint} reload={reload} />
      <OwnFilters endpoint={endpoint} reload={reload} />
    </div>
  );
}

interface Saving {
  readonly busy: boolean;
  readonly failure: SlipstreamError | null;
  readonly save: (request: () => Promise<unknown>) => Promise<boolean>;
}

/** Sends a change, and says how that went. */
function useSaving(reload: () => void): Saving {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<SlipstreamError | null>(null);
  const save = async (request: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setFailure(null);
    try {
      await request();
      toast({ message: text.endpoints.saved });
      reload();
      return true;
    } catch (error) {
      setFailure(asError(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, save };
}

function General({ endpoint, reload }: SettingsProps) {
  const { webhookId, webhookUrl, webhookMethod, description, snapshot } = endpoint;
  const form = useEdits(`general ${webhookId}`, { webhookUrl, webhookMethod, description, snapshot }, endpoint);
  const { value: wish, open, change } = form;
  const { busy, failure, save } = useSaving(reload);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void save(() => service.changeWebhook({ webhookId, ...open })).then((isSaved) => isSaved && form.saved(open));
      }}
    >
      <h2>{text.endpoints.generalTitle}</h2>
      <div class="url-row">
        <UrlField value={wish.webhookUrl} onInput={(value) => change({ webhookUrl: value })} />
        <MethodField value={wish.webhookMethod} onChange={(method) => change({ webhookMethod: method })} />
      </div>
      <DescriptionField value={wish.description} onInput={(value) => change({ description: value })} />
      <SnapshotCheck checked={wish.snapshot} onChange={(value) => change({ snapshot: value })} />
      <SaveRow busy={busy} failure={failure} isBack={form.isBack} />
    </form>
  );
}

function Feeds({ endpoint, reload }: SettingsProps) {
  const { webhookId } = endpoint;
  const now = { choice: choiceOf(endpoint), filters: formOf(endpoint.filters) };
  const form = useEdits(`feeds ${webhookId}`, now, endpoint);
  const { open } = form;
  const { choice, filters } = form.value;
  const { busy, failure, save } = useSaving(reload);
  const terms = signIn.value.kind === 'in' ? signIn.value.account.terms : null;
  if (terms === null) return null;
  const feedIds = feedIdsOf(choice);
  const change = (): ChangeWebhookRequest => ({
    webhookId,
    ...(open.choice !== undefined && { feedIds }),
    ...(open.filters !== undefined && { filters: filtersOf(open.filters) }),
  });
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void save(() => service.changeWebhook(change())).then((isSaved) => isSaved && form.saved(open));
      }}
    >
      <h2>{text.endpoints.feedsTitle}</h2>
      <p class="soft">{text.endpoints.feedsHint}</p>
      <ChoiceEditor
        terms={terms}
        choice={choice}
        onChoice={(next) => form.change({ choice: next })}
        filters={filters}
        onFilters={(next) => form.change({ filters: next })}
      />
      <SaveRow busy={busy || feedIds.length === 0} failure={failure} isBack={form.isBack} />
    </form>
  );
}

function OwnFilters({ endpoint, reload }: SettingsProps) {
  const [edited, setEdited] = useState<Subscription | null>(null);
  const { failure, save } = useSaving(reload);
  const { webhookId, subscriptions } = endpoint;
  return (
    <section class="card">
      <h2>{text.endpoints.ownFilters}</h2>
      {failure !== null && <Failure error={failure} />}
      <ul class="subscriptions">
        {subscriptions.map((subscription) => {
          const { feedId, active, suspended, filters } = subscription;
          return (
            <li key={feedId} class="row apart">
              <span class="row">
                <code>{feedId}</code>
                {!active && <span class="badge">{text.endpoints.standings.paused}</span>}
                {suspended !== null && <span class="badge warn">{text.endpoints.suspended[suspended]}</span>}
                {Object.keys(filters).length > 0 && <span class="badge">{text.endpoints.filtered}</span>}
              </span>
              {suspended !== 'not_offered' && (
                <span class="row">
                  <Button small label={text.endpoints.ownFiltersOf(feedId)} onClick={() => setEdited(subscription)}>
                    {text.endpoints.editFilters}
                  </Button>
                  <Button
                    small
                    label={`${active ? text.endpoints.pause : text.endpoints.resume}: ${feedId}`}
                    onClick={() => void save(() => service.changeSubscription({ webhookId, feedId, active: !active }))}
                  >
                    {active ? text.endpoints.pause : text.endpoints.resume}
                  </Button>
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {edited !== null && (
        <FiltersDialog
          subscription={edited}
          save={async (filters) => {
            const { feedId } = edited;
            if (await save(() => service.changeSubscription({ webhookId, feedId, filters }))) setEdited(null);
          }}
          failure={failure}
          onClose={() => setEdited(null)}
        />
      )}
    </section>
  );
}

interface FiltersDialogProps {
  readonly subscription: Subscription;
  readonly save: (filters: Filters) => Promise<void>;
  readonly failure: SlipstreamError | null;
  readonly onClose: () => void;
}

function FiltersDialog({ subscription: { feedId, filters }, save, failure, onClose }: FiltersDialogProps) {
  const [form, setForm] = useState(formOf(filters));
  const terms = signIn.value.kind === 'in' ? signIn.value.account.terms : null;
  if (terms === null) return null;
  return (
    <Dialog title={text.endpoints.ownFiltersOf(feedId)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save(filtersOf(form));
        }}
      >
        <ChoiceEditor
          isFixed
          terms={terms}
          choice={{ kind: 'these', feedIds: [feedId] }}
          onChoice={() => {}}
          filters={form}
          onFilters={setForm}
        />
        <SaveRow busy={false} failure={failure} />
      </form>
    </Dialog>
  );
}

function Headers({ endpoint: { webhookId, headers }, reload }: SettingsProps) {
  const [value, setValue] = useState('');
  const { busy, failure, save } = useSaving(reload);
  const names = Object.keys(headers);
  const parsed = parseHeaders(value);
  const replace = async (by: Readonly<Record<string, string>>): Promise<void> => {
    if (await save(() => service.changeWebhook({ webhookId, headers: by }))) setValue('');
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        if (parsed.kind === 'ok') void replace(parsed.headers);
      }}
    >
      <p class="wrap">
        {names.length === 0 ? text.endpoints.headersNone : text.endpoints.headersNow(names.join(', '))}
      </p>
      <HeadersField value={value} onInput={setValue} />
      {failure !== null && <Failure error={failure} />}
      <div class="row">
        <Button type="submit" disabled={busy || value.trim() === ''}>
          {text.endpoints.replaceHeaders}
        </Button>
        {names.length > 0 && (
          <Button disabled={busy} onClick={() => void replace({})}>
            {text.endpoints.removeHeaders}
          </Button>
        )}
      </div>
    </form>
  );
}

interface SaveRowProps extends Pick<Saving, 'busy' | 'failure'> {
  /** The form was given back after the sign-in had ended, and is not saved yet. */
  readonly isBack?: boolean;
}

function SaveRow({ busy, failure, isBack }: SaveRowProps) {
  return (
    <>
      {isBack === true && (
        <div class="notice" role="status">
          {text.endpoints.changesAreBack}
        </div>
      )}
      {failure !== null && <Failure error={failure} />}
      <div class="row">
        <Button kind="primary" type="submit" disabled={busy}>
          {text.endpoints.save}
        </Button>
      </div>
    </>
  );
}
