// Previews: what the models expect of sessions to come.

import { id, readingTool } from './tool.ts';

export const PREVIEW_TOOLS = [
  readingTool({
    name: 'list_previews',
    title: 'List the previews of upcoming sessions',
    description: 'Lists the next races and sprints with the three most likely winners. get_preview has the rest.',
    operations: ['GET /preview/upcoming'],
    input: {},
    async run(_input, { client, signal }) {
      const { previews, message } = await client.listPreviews({ signal });
      const listed = previews.map(({ sessionId, name, circuitName, type, startDate, status, view, headline }) => ({
        sessionId,
        name,
        circuitName,
        type,
        startDate,
        status,
        view,
        headline,
      }));
      return { previews: listed, message };
    },
  }),
  readingTool({
    name: 'get_preview',
    title: 'Read the preview of a session',
    description:
      'Forecasts one race, sprint or qualifying session; a past one as of before it was held: chances of each driver, ' +
      'strategy, the circuit, the championship, and how accurate the model was. Free sees the headline.',
    operations: ['GET /preview/{sessionId}'],
    input: { sessionId: id('sessionId') },
    run: (input, { client, signal }) => client.getPreview(input, { signal }),
  }),
];
