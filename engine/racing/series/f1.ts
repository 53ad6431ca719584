// Formula One, as its live timing describes it.

import { F1Analytics } from '#engine/racing/analytics/f1-analytics.ts';
import { F1Outcome } from '#engine/racing/outcome/f1-outcome.ts';
import { raceEventRules } from '#engine/racing/race-events/race-events.ts';
import { PREVIEW_TOPIC } from '#engine/racing/session/known-before.ts';
import { SERIES_ID } from '#engine/racing/session-slug.ts';
import { UPSTREAM_MESSAGES } from '#schemas/upstream/messages.ts';
import { f1FeedRows } from './f1-feeds.ts';
import { F1_NAMING } from './f1-naming.ts';
import type { Series } from './series.ts';

export const F1: Series = {
  seriesId: SERIES_ID,
  name: 'Formula One',
  messages: UPSTREAM_MESSAGES,
  facts: {
    drivers: {
      topic: 'DriverList',
      code: 'Tla',
      team: 'TeamName',
      names: [['FirstName', 'LastName'], ['FullName']],
      line: 'Line',
    },
    timing: { topic: 'TimingData', under: 'Lines', position: 'Position' },
    lap: { topic: 'LapCount', field: 'CurrentLap' },
    status: {
      topic: 'SessionStatus',
      field: 'Status',
      upcoming: ['Inactive'],
      running: 'Started',
      over: ['Finalised', 'Ends'],
      log: { topic: 'SessionData', list: 'StatusSeries', field: 'SessionStatus' },
    },
    kind: {
      topic: 'SessionInfo',
      field: 'Type',
      race: 'Race',
      qualifying: 'Qualifying',
      parts: [
        { topic: 'TimingData', field: 'SessionPart' },
        { topic: 'SessionData', list: 'Series', field: 'QualifyingPart' },
      ],
    },
    preview: PREVIEW_TOPIC,
  },
  naming: F1_NAMING,
  feedRows: f1FeedRows,
  raceEventRules,
  analytics: () => new F1Analytics(),
  outcome: () => new F1Outcome(F1.facts.status),
};
