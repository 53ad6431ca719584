// Sends deliveries again: those that were chosen, or what the endpoint missed of a session or a replay.

import { useState } from 'preact/hooks';
import type { ResendOrder } from '#api/client/calls.ts';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../data/service.ts';
import { asError, useLoad } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Loaded, Problem } from '../../parts/loaded.tsx';
import { toast } from '../../parts/toasts.tsx';
import { language, text } from '../../text/text.ts';
import { type Gap, gapOrder, NO_GAP } from './resend-order.ts';

/** Replays and live runs to choose from. */
const RUNS_MAX = 50;
const PROGRESS_MS = 2_000;

/** Says what became of it. Returns whether they are sent. */
export async function resendDeliveries(webhookId: string, deliveryIds: readonly string[]): Promise<boolean> {
  try {
    const { updates } = await service.resendUpdates({ webhookId, deliveryIds });
    toast({ message: text.endpoints.resending(updates) });
    return true;
  } catch (failure) {
    toast({ message: asError(failure).message });
    return false;
  }
}

export interface ResendDialogProps {
  readonly webhookId: string;
  readonly onClose: () => void;
}

export function ResendDialog({ webhookId, onClose }: ResendDialogProps) {
  const [started, setStarted] = useState<{ readonly runId: string; readonly updates: number } | null>(null);
  return (
    <Dialog title={text.endpoints.resendMissed} onClose={onClose}>
      {started === null ? (
        <ResendForm webhookId={webhookId} onStarted={setStarted} />
      ) : (
        <>
          <p>{text.endpoints.resending(started.updates)}</p>
          <Progress runId={started.runId} webhookId={webhookId} />
        </>
      )}
    </Dialog>
  );
}

interface Source {
  readonly name: string;
  readonly label: string;
  readonly order: ResendOrder;
}

interface ResendFormProps {
  readonly webhookId: string;
  readonly onStarted: (run: { readonly runId: string; readonly updates: number }) => void;
}

function ResendForm({ webhookId, onStarted }: ResendFormProps) {
  const load = useLoad((signal) => sourcesOf(webhookId, signal), [webhookId]);
  const [gap, setGap] = useState<Gap>(NO_GAP);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<SlipstreamError | null>(null);
  const change = (part: Partial<Gap>): void => setGap({ ...gap, ...part });

  const submit = async (order: ResendOrder): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      onStarted(await service.resendUpdates({ webhookId, ...gapOrder(gap, order) }));
    } catch (error) {
      setFailure(asError(error));
      setBusy(false);
    }
  };

  return (
    <Loaded load={load}>
      {(sources) =>
        sources.length === 0 ? (
          <p>{text.endpoints.resendNothing}</p>
        ) : (
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              const source = sources.find(({ name }) => name === gap.source) ?? sources[0]!;
              void submit(source.order);
            }}
          >
            <p class="soft">{text.endpoints.resendHint}</p>
            <Field label={text.endpoints.resendWhat}>
              {(tied) => (
                <select
                  {...tied}
                  value={gap.source === '' ? sources[0]!.name : gap.source}
                  onChange={(event) => change({ source: event.currentTarget.value })}
                >
                  {sources.map(({ name, label }) => (
                    <option key={name} value={name}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label={text.endpoints.resendOutcome}>
              {(tied) => (
                <select
                  {...tied}
                  value={gap.outcome}
                  onChange={(event) => change({ outcome: event.currentTarget.value as Gap['outcome'] })}
                >
                  <option value="">{text.endpoints.resendBoth}</option>
                  <option value="failed">{text.endpoints.resendFailed}</option>
                  <option value="skipped">{text.endpoints.resendSkipped}</option>
                </select>
              )}
            </Field>
            <Field label={text.endpoints.resendSince} hint={text.endpoints.resendSinceHint}>
              {(tied) => (
                <input {...tied} value={gap.since} onInput={(event) => change({ since: event.currentTarget.value })} />
              )}
            </Field>
            {failure !== null && <Problem error={failure} />}
            <div class="row">
              <Button kind="primary" type="submit" disabled={busy}>
                {text.endpoints.resendGo}
              </Button>
            </div>
          </form>
        )
      }
    </Loaded>
  );
}

/** The live sessions and replays of which the endpoint can have missed something, the latest first of each. */
async function sourcesOf(webhookId: string, signal: AbortSignal): Promise<readonly Source[]> {
  const [live, replays] = await Promise.all([
    service.listLiveRuns({ limit: RUNS_MAX }, { signal }),
    service.listRuns({ limit: RUNS_MAX }, { signal }),
  ]);
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const takesPart = ({ endpoints }: { readonly endpoints: readonly { readonly webhookId: string }[] }): boolean =>
    endpoints.some((endpoint) => endpoint.webhookId === webhookId);
  return [
    ...live.runs.filter(takesPart).map(({ sessionId }) => ({
      name: `live ${sessionId}`,
      label: text.endpoints.resendLive(sessionId),
      order: { sessionId },
    })),
    ...replays.runs
      .filter((run) => run.kind === 'replay' && takesPart(run))
      .map(({ runId, sessionId, startedAt }) => ({
        name: `replay ${runId}`,
        label: text.endpoints.resendReplay(sessionId, time.format(new Date(startedAt))),
        order: { runId },
      })),
  ];
}

function Progress({ runId, webhookId }: { readonly runId: string; readonly webhookId: string }) {
  const load = useLoad((signal) => service.getRun({ runId }, { signal }), [runId], { everyMs: PROGRESS_MS });
  return (
    <Loaded load={load}>
      {({ endpoints, endedAt }) => {
        const own = endpoints.find((endpoint) => endpoint.webhookId === webhookId);
        return (
          <div role="status" class="stack tight">
            {own !== undefined && <p>{text.endpoints.resendTally(own.delivered, own.failed, own.pending)}</p>}
            {endedAt !== null && <p>{text.endpoints.resendOver}</p>}
          </div>
        );
      }}
    </Loaded>
  );
}
