// Streams of updates.

import Type from 'typebox';
import { REPLAY_SPEED_MAX, REPLAY_SPEED_MIN } from './replay-speed.ts';

const list = (description: string) => Type.Optional(Type.String({ description }));
const position = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 99, description }));

export const UpdatesQuery = Type.Object({
  session: Type.Optional(
    Type.String({
      description:
        '`live`: the sessions that are live now and those that will be. Otherwise the id of a session, live or recorded. ' +
        'Exactly one of session and run is required.',
    }),
  ),
  run: Type.Optional(
    Type.String({ description: 'The id of a replay: the stream shows what it plays, as it plays it.' }),
  ),
  feeds: list(
    'Feed ids, joined by commas; `*` and groups such as `tire.*` are allowed. Default: all feeds of the plan.',
  ),
  drivers: list('Three-letter driver codes, joined by commas.'),
  driverNumbers: list('Racing numbers, joined by commas.'),
  constructors: list('Parts of team names, joined by commas.'),
  eventTypes: list('Types of race events, joined by commas.'),
  positionMin: position('Only drivers in this race position or behind it.'),
  positionMax: position('Only drivers in this race position or ahead of it.'),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Begin after the update with this sequence; 0: with the first one. Default: a session that is live begins with ' +
        'its next update, a recorded one with its first. Not with `session=live`.',
    }),
  ),
  speed: Type.Optional(
    Type.Number({
      minimum: REPLAY_SPEED_MIN,
      maximum: REPLAY_SPEED_MAX,
      description: 'Plays a recorded session at this multiple of its own pace. Default: as fast as the client reads.',
    }),
  ),
});
