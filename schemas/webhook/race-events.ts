// events.race: what happened, derived from the timing data. `event` is the type, and says what `data` has: a union.
// `drivers` lists the drivers concerned; the one who acts comes first.

import Type from 'typebox';
import { DRIVER_PROPERTIES } from './driver.ts';
import { Payload } from './envelope.ts';
import { RACE_EVENT_DETAILS } from './race-event-details.ts';
import { RACE_EVENT_TYPES, type RaceEventType } from './race-event-types.ts';

/** The details of each type of event. */
export type RaceEventData = {
  [Event in RaceEventType]: Type.Static<(typeof RACE_EVENT_DETAILS)[Event]>;
};

const EventDriver = Type.Object(DRIVER_PROPERTIES, { additionalProperties: false, title: 'Driver' });

function eventPayload<const Event extends RaceEventType>(event: Event) {
  const details = RACE_EVENT_DETAILS[event];
  const schema = Payload('events.race', details.description, {
    event: Type.Literal(event),
    data: details,
    drivers: Type.Array(EventDriver, { description: 'The drivers concerned; the one who acts comes first.' }),
  });
  return { ...schema, title: `${pascalCase(event)}Event` };
}

type EventPayloads = { readonly [Event in RaceEventType]: ReturnType<typeof eventPayload<Event>> };

/** The schema of each type of event. */
export const RACE_EVENT_PAYLOADS = Object.fromEntries(
  RACE_EVENT_TYPES.map((event) => [event, eventPayload(event)]),
) as unknown as EventPayloads;

/** A payload of `events.race`: a union by `event`. */
export type RaceEventPayload = { [Event in RaceEventType]: Type.Static<EventPayloads[Event]> }[RaceEventType];

export const RaceEventPayload = {
  ...Type.Unsafe<RaceEventPayload>(Type.Union(Object.values(RACE_EVENT_PAYLOADS))),
  description: 'What happened. `event` says which details `data` has.',
};

/** Turns `session_start` into `SessionStart`. */
function pascalCase(event: string): string {
  return event
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}
