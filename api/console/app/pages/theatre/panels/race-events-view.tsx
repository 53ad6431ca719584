// What happened, in words, the newest first.

import { signal } from '@preact/signals';
import type { RaceEventType } from '#api/client/payloads.ts';
import { Time } from '../../../parts/time.tsx';
import { text } from '../../../text/text.ts';
import type { Panel } from '../show/fold.ts';
import { EVENT_GROUPS, type EventGroup, type RaceEventLog, type ShownEvent, whoOf } from './race-event-log.ts';
import { useDrawing } from './use-drawing.ts';

const SHOWN = 40;

/** Events that stand out, by the colour of their mark. */
const MARKS: Partial<Record<RaceEventType, string>> = {
  red_flag: 'red',
  session_aborted: 'red',
  retirement: 'red',
  stopped: 'red',
  penalty: 'red',
  yellow_flag: 'yellow',
  safety_car_deployed: 'yellow',
  virtual_safety_car_deployed: 'yellow',
  investigation: 'yellow',
  track_clear: 'green',
  session_start: 'green',
  session_resumed: 'green',
  blue_flag: 'blue',
  lead_change: 'lead',
  fastest_lap: 'fastest',
  fastest_pit_stop: 'fastest',
};

export function raceEventsView(fold: RaceEventLog): Panel['View'] {
  /** Kept while the panel is hidden. */
  const chosenGroup = signal<EventGroup | null>(null);
  return function RaceEventsView({ theatre }) {
    const place = useDrawing(theatre, () => fold.version);
    const group = chosenGroup.value;
    const events = fold.newest(SHOWN, group);
    return (
      <div ref={place} class="stack tight">
        <label class="panel-choice">
          <span>{text.panels.eventsShow}</span>
          <select
            class="input"
            value={group ?? ''}
            onChange={({ currentTarget }) => {
              chosenGroup.value = EVENT_GROUPS.find((name) => name === currentTarget.value) ?? null;
            }}
          >
            <option value="">{text.panels.eventsAll}</option>
            {EVENT_GROUPS.map((name) => (
              <option key={name} value={name}>
                {text.panels.eventGroups[name]}
              </option>
            ))}
          </select>
        </label>
        {events.length === 0 ? (
          <p class="race-events soft">{group === null ? text.panels.eventsNone : text.panels.eventsNoneOfKind}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <ol class="race-events" tabIndex={0} aria-label={text.panels.eventsTitle}>
            {events.map((event) => (
              <EventRow key={event.sequence} event={event} codeOf={(number) => fold.codeOf(number)} />
            ))}
          </ol>
        )}
      </div>
    );
  };
}

interface EventRowProps {
  readonly event: ShownEvent;
  readonly codeOf: (number: string) => string;
}

function EventRow({ event: { payload }, codeOf }: EventRowProps) {
  const { event, data, utc, lap } = payload;
  // One type by the event, which the compiler cannot follow through the table.
  const words = text.panels.eventWords[event] as
    | ((data: unknown, who: string, code: (number: string) => string) => string)
    | undefined;
  return (
    <li class={`race-event ${MARKS[event] ?? ''}`}>
      <span class="small soft">
        <Time at={utc} show="time" />
      </span>
      <span class="small soft">{lap === undefined ? '' : text.panels.lapOf(lap)}</span>
      <span>{words === undefined ? event : words(data, whoOf(payload), codeOf)}</span>
    </li>
  );
}
