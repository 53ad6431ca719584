// Chooses what to watch: sessions that are live, and recorded ones by season, place, kind and search.

import { useMemo, useState } from 'preact/hooks';
import type { Session, SimulateQuota } from '#api/client/calls.ts';
import { service } from '../../data/service.ts';
import { type Load, useLoad } from '../../data/use-load.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Empty, Failure, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { text } from '../../text/text.ts';
import { clockText } from './format.ts';
import { livePath, replayPath } from './replay-address.ts';
import { Preparation } from './sessions/preparation.tsx';
import { loadPresent, loadSessions } from './sessions/session-list.ts';
import { choices, matching, NO_FILTER, type SessionFilter } from './sessions/session-matches.ts';
import { StartDialog } from './sessions/start-dialog.tsx';

const words = text.theatre.sessions;
const SPEED = 10;
/** Sessions that are drawn at first, and with each step more. */
const DRAWN = 40;
const LIVE_EVERY_MS = 30_000;

export function Sessions() {
  const load = useLoad(loadSessions, []);
  const quota = useLoad((signal) => service.getSimulateQuota({ signal }), []);
  return (
    <Page title={text.theatre.title}>
      <LiveNow />
      <Quota load={quota} />
      <Loaded load={load}>
        {(sessions) => (
          <Recorded sessions={sessions} quota={quota.kind === 'ready' ? quota.value : null} onPrepared={load.reload} />
        )}
      </Loaded>
    </Page>
  );
}

function LiveNow() {
  const load = useLoad(loadPresent, [], { everyMs: LIVE_EVERY_MS });
  if (load.kind === 'failed') return <Failure error={load.error} retry={load.reload} />;
  const live = load.kind === 'ready' ? load.value.live : [];
  if (live.length === 0) return null;
  return (
    <section class="stack">
      <h2>{words.live}</h2>
      <ul class="session-list">
        {live.map(({ sessionId, name, circuitName }) => (
          <li key={sessionId} class="session-row live">
            <div class="session-name">
              <strong>{name}</strong>
              {circuitName !== null && <span class="small soft">{circuitName}</span>}
            </div>
            <LinkButton kind="primary" path={livePath(sessionId)}>
              {words.liveAction}
            </LinkButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Quota({ load }: { readonly load: Load<SimulateQuota> }) {
  if (load.kind !== 'ready') return null;
  const { limit, used, currentSeasonOnly } = load.value;
  return (
    <p class="soft">
      <strong>{limit === -1 ? words.quotaUnlimited : words.quota(used, limit)}.</strong> {words.quotaHint}
      {currentSeasonOnly && ` ${words.thisSeason}`}
    </p>
  );
}

interface RecordedProps {
  readonly sessions: readonly Session[];
  readonly quota: SimulateQuota | null;
  readonly onPrepared: () => void;
}

function Recorded({ sessions, quota, onPrepared }: RecordedProps) {
  const [filter, setFilter] = useState<SessionFilter>(NO_FILTER);
  const [drawn, setDrawn] = useState(DRAWN);
  const [chosen, setChosen] = useState<Session | null>(null);
  const found = useMemo(() => matching(sessions, filter), [sessions, filter]);
  const change = (part: Partial<SessionFilter>): void => {
    setFilter({ ...filter, ...part });
    setDrawn(DRAWN);
  };
  return (
    <section class="stack">
      <h2>{words.recorded}</h2>
      <Filters sessions={sessions} filter={filter} onChange={change} />
      <p class="small soft" role="status">
        {words.found(found.length, sessions.length)}
      </p>
      {found.length === 0 && (
        <Empty title={words.none}>
          <p>{words.noneHint}</p>
          <Button onClick={() => change(NO_FILTER)}>{words.clear}</Button>
        </Empty>
      )}
      <ul class="session-list">
        {found.slice(0, drawn).map((session) => (
          <Row key={session.sessionId} session={session} onPrepared={onPrepared} onChoose={() => setChosen(session)} />
        ))}
      </ul>
      {found.length > drawn && (
        <div class="row">
          <Button onClick={() => setDrawn(drawn + DRAWN)}>{words.more}</Button>
        </div>
      )}
      {chosen !== null && <StartDialog session={chosen} quota={quota} onClose={() => setChosen(null)} />}
    </section>
  );
}

interface FiltersProps {
  readonly sessions: readonly Session[];
  readonly filter: SessionFilter;
  readonly onChange: (part: Partial<SessionFilter>) => void;
}

function Filters({ sessions, filter, onChange }: FiltersProps) {
  const { seasons, places, kinds } = useMemo(() => choices(sessions), [sessions]);
  return (
    <search class="session-filters">
      <Field label={words.search} hint={words.searchHint}>
        {(tied) => (
          <input
            {...tied}
            type="search"
            value={filter.search}
            onInput={(event) => onChange({ search: event.currentTarget.value })}
          />
        )}
      </Field>
      <Choice
        label={words.season}
        options={seasons}
        value={filter.season}
        onChange={(season) => onChange({ season })}
      />
      <Choice label={words.place} options={places} value={filter.place} onChange={(place) => onChange({ place })} />
      <Choice label={words.kind} options={kinds} value={filter.kind} onChange={(kind) => onChange({ kind })} />
    </search>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly options: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Choice({ label, options, value, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(tied) => (
        <select {...tied} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{words.any}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface RowProps {
  readonly session: Session;
  readonly onPrepared: () => void;
  readonly onChoose: () => void;
}

function Row({ session, onPrepared, onChoose }: RowProps) {
  const { sessionId, name, type, circuitName, season, startDate, durationSeconds, updateCount, demo } = session;
  return (
    <li class="session-row">
      <div class="session-name">
        <strong>{name}</strong>
        <span class="small soft">
          {type} · {circuitName} · {demo ? season : <Time at={startDate} show="date" />} ·{' '}
          {clockText(durationSeconds * 1000)} · {words.updates(updateCount)}
        </span>
        <span class="row tight">
          {demo && <span class="badge">{words.demo}</span>}
          {session.unlocked && !demo && <span class="badge">{words.unlocked}</span>}
          {session.prepared ? (
            <span class="badge good">{words.prepared}</span>
          ) : (
            <Preparation sessionId={sessionId} onReady={onPrepared} />
          )}
        </span>
      </div>
      <div class="row">
        <LinkButton
          kind="primary"
          path={replayPath(sessionId, { speed: SPEED, sinks: 'visual' })}
          label={words.watchWhat(name)}
        >
          {words.watch}
        </LinkButton>
        <Button label={words.optionsOf(name)} onClick={onChoose}>
          {words.options}
        </Button>
      </div>
    </li>
  );
}
