// The season: its sessions, what is live and what comes next, and where each session leads.

import { useLocation } from 'preact-iso';
import { to } from '../../address.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Countdown } from '../../parts/countdown.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { language, text } from '../../text/text.ts';
import { recordedSessions } from './recorded-sessions.ts';
import {
  type CalendarEvent,
  eventState,
  type Held,
  linksOf,
  liveOf,
  nextOf,
  seasonAsked,
  seasonOf,
  sessionName,
  sessionsOf,
  splitEvents,
  utcText,
} from './season.ts';

const REFRESH_MS = 30_000;

export function Calendar() {
  const { query } = useLocation();
  const asked = seasonAsked(query.season);
  return <Season key={asked} asked={asked} />;
}

function Season({ asked }: { readonly asked: number | null }) {
  const load = useLoad(
    async (signal) => {
      const [{ events }, recorded] = await Promise.all([
        service.listEvents(asked === null ? {} : { season: asked }, { signal }),
        recordedSessions(signal),
      ]);
      return { events, recorded: new Set(recorded.map(({ sessionId }) => sessionId)) };
    },
    [asked],
    { everyMs: REFRESH_MS },
  );
  const shown = load.kind === 'ready' ? (seasonOf(load.value.events) ?? asked) : asked;
  const year = shown ?? new Date().getUTCFullYear();
  return (
    <Page
      title={shown === null ? text.calendar.title : text.calendar.titleOf(shown)}
      actions={
        <nav class="row" aria-label={text.calendar.seasons}>
          <LinkButton small path={`/console/calendar?season=${year - 1}`}>
            {text.calendar.previousSeason(year - 1)}
          </LinkButton>
          <LinkButton small path={`/console/calendar?season=${year + 1}`}>
            {text.calendar.nextSeason(year + 1)}
          </LinkButton>
        </nav>
      }
    >
      <Loaded load={load}>
        {({ events, recorded }) =>
          events.length === 0 ? <NoCalendar season={asked} /> : <Events events={events} recorded={recorded} />
        }
      </Loaded>
    </Page>
  );
}

function NoCalendar({ season }: { readonly season: number | null }) {
  return (
    <Empty title={season === null ? text.calendar.emptyTitle : text.calendar.emptySeason(season)}>
      <p>{text.calendar.emptyHint}</p>
      <p>{text.calendar.emptyMeanwhile}</p>
      <LinkButton path="/console/replay/demo-race">{text.calendar.toDemo}</LinkButton>
    </Empty>
  );
}

interface EventsProps {
  readonly events: readonly CalendarEvent[];
  readonly recorded: ReadonlySet<string>;
}

function Events({ events, recorded }: EventsProps) {
  const next = nextOf(events);
  const { ahead, over } = splitEvents(events);
  return (
    <>
      {liveOf(events).map((held) => (
        <LiveNow key={held.session.sessionId} held={held} recorded={recorded} />
      ))}
      {next === null ? <p class="soft">{text.calendar.seasonOver}</p> : <Next held={next} />}
      <p class="small soft">{text.calendar.zone(new Intl.DateTimeFormat(language).resolvedOptions().timeZone)}</p>
      <Weekends title={text.calendar.ahead} events={ahead} recorded={recorded} next={next} />
      <Weekends title={text.calendar.over} events={over} recorded={recorded} next={next} />
    </>
  );
}

function Weekends({ title, events, ...rest }: EventsProps & { readonly title: string; readonly next: Held | null }) {
  if (events.length === 0) return null;
  return (
    <section class="stack tight">
      <h2>{title}</h2>
      {events.map((event) => (
        <Weekend key={event.eventId} event={event} {...rest} />
      ))}
    </section>
  );
}

function LiveNow({ held, recorded }: { readonly held: Held; readonly recorded: ReadonlySet<string> }) {
  const { event, session } = held;
  return (
    <section class="notice bad">
      <div class="row">
        <span class="badge bad">{text.calendar.live}</span>
        <strong>{text.calendar.previewOf(event.name, sessionName(session))}</strong>
      </div>
      <SessionLinks held={held} recorded={recorded} />
    </section>
  );
}

function Next({ held: { event, session } }: { readonly held: Held }) {
  const preview = linksOf({ event, session }, new Set()).preview;
  return (
    <section class="card season-next">
      <div class="stack tight">
        <h2>{text.calendar.nextTitle}</h2>
        <strong>{text.calendar.previewOf(event.name, sessionName(session))}</strong>
        <span class="soft">{event.circuitName}</span>
      </div>
      <div class="stack tight">
        <span class="season-countdown">
          <Countdown at={session.startDate} say={text.calendar.nextIn} />
        </span>
        <span>
          <Time at={session.startDate} /> <span class="small soft">{utcText(session.startDate)}</span>
        </span>
        {preview !== null && (
          <div class="row">
            <LinkButton small path={preview}>
              {text.calendar.preview}
            </LinkButton>
          </div>
        )}
      </div>
    </section>
  );
}

const TONES = { upcoming: '', live: 'bad', finished: '', cancelled: 'warn' } as const;

interface WeekendProps {
  readonly event: CalendarEvent;
  readonly recorded: ReadonlySet<string>;
  readonly next: Held | null;
}

/** One event; the next one and live ones are open from the start. */
function Weekend({ event, recorded, next }: WeekendProps) {
  const state = eventState(event);
  const isNext = next?.event === event;
  const sessions = sessionsOf([event]);
  const last = sessions.at(-1);
  return (
    <details class="card weekend" open={isNext || state === 'live'}>
      <summary>
        <span class="weekend-round soft" title={text.calendar.round(event.round)}>
          {text.calendar.roundShort(event.round)}
        </span>
        <span class="weekend-name">
          <strong>{event.name}</strong> <span class="small soft">{event.circuitName}</span>
        </span>
        {last !== undefined && (
          <span class="small weekend-date">
            <Time at={last.session.startDate} show="date" />
          </span>
        )}
        <span class={`badge ${isNext && state === 'upcoming' ? 'warn' : TONES[state]}`}>
          {isNext && state === 'upcoming' ? text.calendar.next : text.calendar.states[state]}
        </span>
      </summary>
      <table class="table weekend-sessions">
        <caption class="sr-only">{text.calendar.sessions(event.name)}</caption>
        <thead class="sr-only">
          <tr>
            <th scope="col">{text.calendar.session}</th>
            <th scope="col">{text.calendar.start}</th>
            <th scope="col">{text.calendar.state}</th>
            <th scope="col">{text.calendar.links}</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((held) => (
            <tr key={held.session.sessionId} class={held.session === next?.session ? 'is-next' : undefined}>
              <th scope="row">{sessionName(held.session)}</th>
              <td>
                <Time at={held.session.startDate} /> <span class="small soft">{utcText(held.session.startDate)}</span>
              </td>
              <td>
                {held.session === next?.session ? (
                  <span class="badge warn">{text.calendar.next}</span>
                ) : (
                  <span class={`badge ${TONES[held.session.status]}`}>{text.calendar.states[held.session.status]}</span>
                )}
              </td>
              <td>
                <SessionLinks held={held} recorded={recorded} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function SessionLinks({ held, recorded }: { readonly held: Held; readonly recorded: ReadonlySet<string> }) {
  const { preview, theatre, fantasy } = linksOf(held, recorded);
  const { event, session } = held;
  const links: readonly (readonly [string, string | null])[] = [
    [text.calendar.theatre[theatre?.kind ?? 'replay'], theatre?.path ?? null],
    [text.calendar.preview, preview],
    [text.calendar.fantasy, fantasy],
  ];
  return (
    <span class="row">
      {links.map(
        ([label, path]) =>
          path !== null && (
            <a key={label} href={to(path)} aria-label={text.calendar.linkOf(label, event.name, sessionName(session))}>
              {label}
            </a>
          ),
      )}
    </span>
  );
}
