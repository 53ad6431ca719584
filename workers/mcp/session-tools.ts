// Sessions: the calendar, recordings and their preparation, and the state of a session.

import Type from 'typebox';
import { MCP_ITEMS_MAX } from '#engine/base/limits.ts';
import { StateQuery } from '#schemas/http/states.ts';
import { id, page, readingTool, writingTool } from './tool.ts';

const { sequence } = StateQuery.properties;

export const SESSION_TOOLS = [
  readingTool({
    name: 'list_sessions',
    title: 'List the recorded sessions',
    description:
      'Lists the recorded sessions that can be replayed. The session demo-race is always there, for every plan.',
    operations: ['GET /simulate/sessions'],
    input: page(MCP_ITEMS_MAX),
    run: (input, { client, signal }) => client.listSessions(input, { signal }),
  }),
  readingTool({
    name: 'list_events',
    title: 'Read the race calendar',
    description: 'Shows the race calendar with the status of each session: upcoming, live, finished or cancelled.',
    operations: ['GET /events'],
    input: { season: Type.Optional(Type.Integer({ minimum: 1, description: 'A year. Default: the current season.' })) },
    run: (input, { client, signal }) => client.listEvents(input, { signal }),
  }),
  readingTool({
    name: 'get_session_state',
    title: 'Read the state of a session',
    description:
      'Shows what the updates of a live or recorded session have left behind: positions, laps, tires, weather, race ' +
      'control. Without feeds it only lists which feeds have a state; then ask for the few that you need. A recorded ' +
      'session must be prepared.',
    operations: ['GET /sessions/{sessionId}/state'],
    input: {
      sessionId: id('sessionId'),
      feeds: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          description: 'Feeds to show, such as timing.data. Default: a list of them.',
        }),
      ),
      sequence,
    },
    async run({ sessionId, feeds, sequence }, { client, signal }) {
      const request = {
        sessionId,
        ...(sequence !== undefined && { sequence }),
        ...(feeds && { feeds: feeds.join(',') }),
      };
      const { states, ...session } = await client.getSessionState(request, { signal });
      if (feeds !== undefined) return { ...session, states };
      return { ...session, feeds: states.map(({ feed, sequence, utc }) => ({ feed, sequence, utc })) };
    },
  }),
  readingTool({
    name: 'get_preparation',
    title: 'Read how far a preparation is',
    description: 'Says how far the preparation of a recorded session is. It can be replayed when its status is ready.',
    operations: ['GET /simulate/status'],
    input: { sessionId: id('sessionId') },
    run: ({ sessionId }, { client, signal }) => client.getPreparation({ session: sessionId }, { signal }),
  }),
  writingTool({
    name: 'prepare_session',
    title: 'Prepare a session for replays',
    description:
      'Makes the updates of a recorded session, once; it takes seconds to a minute. get_preparation has the progress.',
    operations: ['POST /simulate/prepare'],
    destructive: false,
    idempotent: true,
    input: { sessionId: id('sessionId') },
    run: (input, { client, signal }) => client.prepareSession(input, { signal }),
  }),
];
