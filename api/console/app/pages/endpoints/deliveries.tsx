// The delivery log as it grows: filtered, held and followed, older pages on demand, attempts chosen to be sent again.

import { useEffect, useState } from 'preact/hooks';
import type { DeliveryLogEntry, WebhookEndpoint } from '#api/client/calls.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Empty, Failure, Loading } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { text } from '../../text/text.ts';
import { msText } from './amounts.ts';
import { AttemptDialog } from './attempt-dialog.tsx';
import { isFiltering, type LogFilter, logQuery, NO_LOG_FILTER } from './log-filter.ts';
import { LOG_KEPT_MAX } from './log-tail.ts';
import { ResendDialog, resendDeliveries } from './resend.tsx';
import { useLogTail } from './use-log-tail.ts';

/** Deliveries that one request sends again. */
const CHOSEN_MAX = 1_000;

export function Deliveries({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { webhookId } = endpoint;
  const [filter, setFilter] = useState(NO_LOG_FILTER);
  const [isHeld, setHeld] = useState(false);
  const [opened, setOpened] = useState<DeliveryLogEntry | null>(null);
  const [asksMissed, setAsksMissed] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const tail = useLogTail(webhookId, logQuery(filter), isHeld);
  useEffect(() => setChosen(new Set()), [filter]);

  const resendChosen = async (): Promise<void> => {
    const isSent = await resendDeliveries(webhookId, [...chosen]);
    if (isSent) setChosen(new Set());
  };
  const choose = ({ deliveryId }: DeliveryLogEntry, isChosen: boolean): void => {
    const others = [...chosen].filter((id) => id !== deliveryId);
    setChosen(new Set(isChosen ? [...others, deliveryId!].slice(-CHOSEN_MAX) : others));
  };
  return (
    <div class="stack">
      <LogFilters feeds={endpoint.subscriptions.map(({ feedId }) => feedId)} filter={filter} onChange={setFilter} />
      <div class="row apart">
        <div class="row">
          <Button small pressed={isHeld} onClick={() => setHeld(!isHeld)}>
            {isHeld ? text.endpoints.follow : text.endpoints.hold}
          </Button>
          <span class={`badge ${isHeld ? 'warn' : 'good'}`}>{isHeld ? text.endpoints.held : text.endpoints.live}</span>
        </div>
        <div class="row">
          {chosen.size > 0 && (
            <Button small kind="primary" onClick={() => void resendChosen()}>
              {text.endpoints.resendChosen(chosen.size)}
            </Button>
          )}
          <Button small onClick={() => setAsksMissed(true)}>
            {text.endpoints.resendMissed}
          </Button>
        </div>
      </div>
      {tail.state.kind === 'loading' && <Loading retry={tail.reload} />}
      {tail.state.kind === 'failed' && <Failure error={tail.state.error} retry={tail.reload} />}
      {tail.state.kind === 'ready' && tail.state.entries.length === 0 && (
        <NoEntries filter={filter} older={tail.state.olderCursor !== null} />
      )}
      {tail.state.kind === 'ready' && tail.state.entries.length > 0 && (
        <LogTable entries={tail.state.entries} chosen={chosen} onChoose={choose} onOpen={setOpened} />
      )}
      {tail.state.kind === 'ready' && tail.state.olderCursor !== null && (
        <div class="row">
          <Button disabled={tail.isLoadingOlder} onClick={tail.loadOlder}>
            {text.endpoints.older}
          </Button>
        </div>
      )}
      {tail.state.kind === 'ready' && tail.state.entries.length >= LOG_KEPT_MAX && (
        <p class="soft small">{text.endpoints.loadedMax(LOG_KEPT_MAX)}</p>
      )}
      {opened !== null && <AttemptDialog entry={opened} onClose={() => setOpened(null)} />}
      {asksMissed && <ResendDialog webhookId={webhookId} onClose={() => setAsksMissed(false)} />}
    </div>
  );
}

function NoEntries({ filter, older }: { readonly filter: LogFilter; readonly older: boolean }) {
  if (filter.delivery.trim() !== '' && !older) {
    return (
      <Empty title={text.endpoints.noSuchDelivery}>
        <p>{text.endpoints.noSuchDeliveryHint}</p>
      </Empty>
    );
  }
  if (isFiltering(filter) || older) return <Empty title={text.endpoints.logNoMatch} />;
  return (
    <Empty title={text.endpoints.logEmptyTitle}>
      <p>{text.endpoints.logEmpty}</p>
      <LinkButton path="/console/replay">{text.endpoints.toReplay}</LinkButton>
    </Empty>
  );
}

interface LogTableProps {
  readonly entries: readonly DeliveryLogEntry[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (entry: DeliveryLogEntry, isChosen: boolean) => void;
  readonly onOpen: (entry: DeliveryLogEntry) => void;
}

function LogTable({ entries, chosen, onChoose, onOpen }: LogTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-scroll log" tabIndex={0} aria-label={text.endpoints.logCaption}>
      <table class="table stacked">
        <caption>{text.endpoints.logCaption}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">{text.endpoints.resend}</span>
            </th>
            <th scope="col">{text.endpoints.time}</th>
            <th scope="col">{text.endpoints.attempt}</th>
            <th scope="col">{text.endpoints.mode}</th>
            <th scope="col">{text.endpoints.answer}</th>
            <th scope="col" class="number">
              {text.endpoints.took}
            </th>
            <th scope="col" class="number">
              {text.endpoints.lag}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <LogRow
              key={entry.logId}
              entry={entry}
              isChosen={entry.deliveryId !== null && chosen.has(entry.deliveryId)}
              onChoose={onChoose}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface LogRowProps extends Pick<LogTableProps, 'onChoose' | 'onOpen'> {
  readonly entry: DeliveryLogEntry;
  readonly isChosen: boolean;
}

function LogRow({ entry, isChosen, onChoose, onOpen }: LogRowProps) {
  const { feedId, sequence, attempt, createdAt, mode, outcome, statusCode, failureCode, latencyMs, lagMs } = entry;
  const name = text.endpoints.attemptName(feedId, sequence, attempt);
  return (
    <tr>
      <td>
        {mode !== 'test' && entry.deliveryId !== null && (
          <label class="check">
            <input
              type="checkbox"
              checked={isChosen}
              aria-label={text.endpoints.choose(name)}
              onChange={(event) => onChoose(entry, event.currentTarget.checked)}
            />
          </label>
        )}
      </td>
      <td class="nowrap">
        <Time at={createdAt} show="time" />
      </td>
      <td class="nowrap log-attempt">
        <button type="button" class="link" onClick={() => onOpen(entry)}>
          {name}
        </button>
        {entry.snapshot && <span class="badge">{text.endpoints.snapshotMark}</span>}
      </td>
      <td class="log-figure">{text.endpoints.modes[mode]}</td>
      <td class="nowrap log-outcome">
        <span class={`badge ${outcome === 'delivered' ? 'good' : 'bad'}`}>
          {text.endpoints.outcomes[outcome]}
          {statusCode !== null && ` ${statusCode}`}
        </span>{' '}
        {failureCode !== null && failureCode !== 'http_status' && (
          <span class="small soft">{text.endpoints.codes[failureCode]}</span>
        )}
      </td>
      <td class="number nowrap log-figure" data-title={text.endpoints.took}>
        {msText(latencyMs)}
      </td>
      <td class="number nowrap log-figure" data-title={text.endpoints.lag}>
        {lagMs === null ? '–' : msText(lagMs)}
      </td>
    </tr>
  );
}

interface LogFiltersProps {
  readonly feeds: readonly string[];
  readonly filter: LogFilter;
  readonly onChange: (filter: LogFilter) => void;
}

function LogFilters({ feeds, filter, onChange }: LogFiltersProps) {
  const change = (part: Partial<LogFilter>): void => onChange({ ...filter, ...part });
  return (
    <fieldset class="plain log-filters">
      <legend class="sr-only">{text.endpoints.filterLog}</legend>
      <Select
        label={text.endpoints.outcome}
        value={filter.outcome}
        options={Object.entries(text.endpoints.outcomes)}
        onChange={(value) => change({ outcome: value as LogFilter['outcome'] })}
      />
      <Select
        label={text.endpoints.mode}
        value={filter.mode}
        options={Object.entries(text.endpoints.modes)}
        onChange={(value) => change({ mode: value as LogFilter['mode'] })}
      />
      <Select
        label={text.endpoints.feed}
        value={filter.feed}
        options={feeds.map((feedId) => [feedId, feedId])}
        onChange={(feed) => change({ feed })}
      />
      <Text label={text.endpoints.status} value={filter.status} onInput={(status) => change({ status })} />
      <Text label={text.endpoints.logDeliveryId} value={filter.delivery} onInput={(delivery) => change({ delivery })} />
      <Text label={text.endpoints.run} value={filter.run} onInput={(run) => change({ run })} />
      <Moment label={text.endpoints.since} value={filter.since} onInput={(since) => change({ since })} />
      <Moment label={text.endpoints.until} value={filter.until} onInput={(until) => change({ until })} />
      {isFiltering(filter) && (
        <Button small onClick={() => onChange(NO_LOG_FILTER)}>
          {text.endpoints.clearFilters}
        </Button>
      )}
    </fieldset>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly string[])[];
  readonly onChange: (value: string) => void;
}

function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <Field label={label}>
      {(tied) => (
        <select {...tied} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{text.endpoints.any}</option>
          {options.map(([name, shown]) => (
            <option key={name} value={name}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  /** Called when the field is left: each value is a request. */
  readonly onInput: (value: string) => void;
}

function Text(props: TextProps) {
  return <Draft {...props} kind={{}} />;
}

/** With a latest time, browsers take no year of more than four digits. */
function Moment(props: TextProps) {
  return <Draft {...props} kind={{ type: 'datetime-local', max: '9999-12-31T23:59' }} />;
}

interface DraftProps extends TextProps {
  readonly kind: { readonly type?: 'datetime-local'; readonly max?: string };
}

/** Keeps what is being typed while the page is drawn again, as it is whenever deliveries come. */
function Draft({ label, value, onInput, kind }: DraftProps) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return (
    <Field label={label}>
      {(tied) => (
        <input
          {...tied}
          {...kind}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onChange={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
