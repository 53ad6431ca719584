// One attempt: the request as it was sent, the answer, and its signature checked step by step.

import type { ComponentChildren } from 'preact';
import type { DeliveryLogDetail, DeliveryLogEntry } from '#api/client/calls.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { text } from '../../text/text.ts';
import { msText, prettyJson } from './amounts.ts';
import { resendDeliveries } from './resend.tsx';
import { SignaturePart } from './signature-part.tsx';

export interface AttemptDialogProps {
  readonly entry: DeliveryLogEntry;
  readonly onClose: () => void;
}

export function AttemptDialog({ entry: { webhookId, logId, feedId, sequence }, onClose }: AttemptDialogProps) {
  const load = useLoad((signal) => service.getDeliveryLogEntry({ webhookId, logId }, { signal }), [logId]);
  return (
    <Dialog title={text.endpoints.attemptTitle(feedId, sequence)} onClose={onClose}>
      <Loaded load={load}>{(attempt) => <Attempt attempt={attempt} />}</Loaded>
    </Dialog>
  );
}

function Attempt({ attempt }: { readonly attempt: DeliveryLogDetail }) {
  const { webhookId, deliveryId, mode, outcome, statusCode, createdAt, latencyMs, lagMs, notes, response } = attempt;
  return (
    <>
      <div class="row">
        <span class={`badge ${outcome === 'delivered' ? 'good' : 'bad'}`}>
          {text.endpoints.outcomes[outcome]}
          {statusCode !== null && ` ${statusCode}`}
        </span>
        {attempt.failureCode !== null && <span class="soft">{text.endpoints.codes[attempt.failureCode]}</span>}
        {mode !== 'test' && deliveryId !== null && (
          <Button small onClick={() => void resendDeliveries(webhookId, [deliveryId])}>
            {text.endpoints.resend}
          </Button>
        )}
      </div>
      <dl class="facts">
        <Fact name={text.endpoints.started}>
          <Time at={createdAt} show="time" />, <Time at={createdAt} show="date" />
        </Fact>
        <Fact name={text.endpoints.mode}>{text.endpoints.modes[mode]}</Fact>
        <Fact name={text.endpoints.attempt}>{attempt.attempt}</Fact>
        <Fact name={text.endpoints.took}>{msText(latencyMs)}</Fact>
        {lagMs !== null && <Fact name={text.endpoints.lag}>{msText(lagMs)}</Fact>}
        {attempt.runId !== null && (
          <Fact name={text.endpoints.run}>
            <code>{attempt.runId}</code>
          </Fact>
        )}
        {deliveryId !== null && (
          <Fact name={text.endpoints.deliveryId}>
            <code>{deliveryId}</code> <CopyButton value={deliveryId} label={text.endpoints.deliveryId} />
          </Fact>
        )}
      </dl>
      {notes.length > 0 && (
        <section class="notice warn">
          <strong>{text.endpoints.notes}</strong>
          {notes.map((note) => (
            <p key={`${note.part} ${note.reason}`} class="small">
              {note.text}
            </p>
          ))}
        </section>
      )}
      <section class="stack tight">
        <h3>{text.endpoints.response}</h3>
        {response === null && <p>{attempt.errorMessage ?? text.endpoints.noResponse}</p>}
        {response !== null && response.body === '' && <p class="soft">{text.endpoints.emptyBody}</p>}
        {response !== null && response.body !== '' && <Body value={response.body} />}
      </section>
      <RequestPart request={attempt.request} />
      <SignaturePart webhookId={webhookId} request={attempt.request} />
    </>
  );
}

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

function Fact({ name, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function RequestPart({ request: { method, url, headers, body } }: Pick<DeliveryLogDetail, 'request'>) {
  return (
    <section class="stack tight">
      <h3>{text.endpoints.request}</h3>
      <p class="mono wrap">
        {method} {url}
      </p>
      {headers === null ? (
        <p class="soft">{text.endpoints.headersGone}</p>
      ) : (
        <details>
          <summary>
            {text.endpoints.headersSent} ({Object.keys(headers).length})
          </summary>
          <dl class="headers mono small">
            {Object.entries(headers).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value ?? <em class="soft">{text.endpoints.unknownHeader}</em>}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {body === null ? <p class="soft">{text.endpoints.bodyGone}</p> : <Body value={body} />}
    </section>
  );
}

function Body({ value }: { readonly value: string }) {
  return (
    <div class="stack tight">
      <div class="row apart">
        <span class="small soft">
          {text.endpoints.body}, {text.endpoints.bytes(new TextEncoder().encode(value).length)}
        </span>
        <CopyButton value={value} label={text.endpoints.body} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class="body" tabIndex={0}>
        {prettyJson(value)}
      </pre>
    </div>
  );
}
