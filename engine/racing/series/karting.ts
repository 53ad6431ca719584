// Karting, from an organiser's own timing. The series needs only this table and its schema.

import { KARTING_MESSAGES } from '#schemas/upstream/karting.ts';
import { simpleSeries } from './simple-series.ts';

export const KARTING = simpleSeries({
  seriesId: 'karting',
  name: 'Karting',
  messages: KARTING_MESSAGES,
  meeting: { topic: 'Meeting', name: 'name', venue: 'venue', start: 'start' },
  facts: {
    drivers: { topic: 'Karts', code: 'code', team: 'team', names: [['name']], line: null },
    timing: { topic: 'Laps', under: null, position: 'position' },
    lap: { topic: 'Heat', field: 'lap' },
    status: {
      topic: 'Heat',
      field: 'status',
      upcoming: ['waiting'],
      running: 'running',
      over: ['finished'],
      log: null,
    },
    kind: null,
    preview: null,
  },
  feeds: [
    {
      topic: 'Heat',
      feed: 'karting.heat',
      about: 'session',
      fields: {
        name: { from: 'name', as: 'text' },
        status: { from: 'status', as: 'text' },
        currentLap: { from: 'lap', as: 'integer' },
        totalLaps: { from: 'laps', as: 'integer' },
      },
    },
    {
      topic: 'Karts',
      feed: 'karting.entries',
      about: 'drivers',
      fields: { chassis: { from: 'chassis', as: 'text' } },
    },
    {
      topic: 'Laps',
      feed: 'karting.laps',
      about: 'drivers',
      fields: {
        lapsCompleted: { from: 'laps', as: 'integer' },
        lastLap: { from: 'last', as: 'time' },
        bestLap: { from: 'best', as: 'time' },
        gapToLeader: { from: 'gap', as: 'gap' },
      },
    },
  ],
});
