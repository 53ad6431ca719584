// The guides: which sections of the documents a page shows. Every sentence of a guide stands in docs/, where it is also
// read without the service. Passages between `<!-- operators -->` and `<!-- /operators -->` are for those who run it.

/** A document, or the sections of it with these headings. */
export interface GuidePart {
  /** In docs/. */
  readonly file: string;
  /** Without it: the text before the first section, and the sections that no guide names. */
  readonly sections?: readonly string[];
}

export interface Guide {
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly parts: readonly GuidePart[];
}

export const GUIDES: readonly Guide[] = [
  {
    path: 'quickstart',
    title: 'Quickstart',
    summary: 'Sign up, replay a race to a program of yours, and see each delivery verified.',
    parts: [
      { file: 'quickstart.md' },
      {
        file: 'getting-started.md',
        sections: [
          'Get a token',
          'Register an endpoint',
          'Start a receiver',
          'Replay the built-in race',
          'See what became of the deliveries',
        ],
      },
    ],
  },
  {
    path: 'deliveries',
    title: 'Receiving deliveries',
    summary: 'What a delivery looks like, and what your program does with it.',
    parts: [{ file: 'receiving.md' }],
  },
  {
    path: 'listen',
    title: 'Without a public URL',
    summary: 'Bring live updates and replays to a program on your machine, signed and retried like deliveries.',
    parts: [{ file: 'listen.md' }],
  },
  {
    path: 'verifying',
    title: 'Verifying signatures',
    summary: 'Tell genuine deliveries from others, and change the secret without a loss.',
    parts: [{ file: 'receiving.md', sections: ['Verify', 'Change the secret'] }],
  },
  {
    path: 'retries',
    title: 'Answers and retries',
    summary: 'What counts as delivered, when it is tried again, and how to get what was missed.',
    parts: [{ file: 'receiving.md', sections: ['Answer', 'Retries', 'What is not delivered', 'Send again'] }],
  },
  {
    path: 'order',
    title: 'Order and deduplication',
    summary: 'Handle each update once, in order, and keep a state from them.',
    parts: [
      { file: 'receiving.md', sections: ['Repetitions', 'Order', 'Keep a state'] },
      { file: 'api.md', sections: ['States'] },
    ],
  },
  {
    path: 'filters',
    title: 'Feeds and filters',
    summary: 'Choose what an endpoint gets: feeds, drivers, teams, positions, events.',
    parts: [{ file: 'receiving.md', sections: ['Choose feeds', 'Filters', 'Filters by example'] }],
  },
  {
    path: 'replays',
    title: 'Replays',
    summary: 'Play a recorded session to your endpoints, as often as you like.',
    parts: [
      { file: 'api.md', sections: ['Replays'] },
      { file: 'receiving.md', sections: ['Live, replay, test'] },
    ],
  },
  {
    path: 'streams',
    title: 'Streams',
    summary: 'Get updates over a connection of yours, without an endpoint, and continue exactly.',
    parts: [{ file: 'api.md', sections: ['Streams'] }],
  },
  {
    path: 'live',
    title: 'Live sessions',
    summary: 'What happens to your endpoints while a session runs.',
    parts: [{ file: 'live-sessions.md', sections: ['What customers see during a session'] }],
  },
  {
    path: 'watching',
    title: 'Delivery log and health',
    summary: 'See what was sent, what came back, and which endpoints fail.',
    parts: [{ file: 'api.md', sections: ['Delivery log', 'Health of endpoints', 'Usage'] }],
  },
  {
    path: 'errors',
    title: 'Requests and errors',
    summary: 'How the API answers, and every error code.',
    parts: [{ file: 'api.md', sections: ['', 'Requests and answers'] }],
  },
  {
    path: 'accounts',
    title: 'Accounts, tokens and plans',
    summary: 'Sign up, get tokens, and what each plan includes.',
    parts: [{ file: 'api.md', sections: ['Accounts', 'Plans', 'Payments'] }],
  },
  {
    path: 'data',
    title: 'Calendar, previews and scores',
    summary: 'What else the API knows about races.',
    parts: [{ file: 'api.md', sections: ['Calendar', 'Previews', 'Fantasy scores', 'Feeds', 'Analytics'] }],
  },
  {
    path: 'client',
    title: 'TypeScript client',
    summary:
      'A package with every call, streams that resume, and signatures, all with types. And how to do it in Python.',
    parts: [{ file: 'client.md' }],
  },
  {
    path: 'more',
    title: 'More about the API',
    summary: 'What has no page of its own.',
    parts: [{ file: 'api.md' }],
  },
  {
    path: 'assistants',
    title: 'Assistants',
    summary: 'Let an assistant inspect deliveries and run replays, over MCP.',
    parts: [{ file: 'assistants.md' }],
  },
  {
    path: 'receivers',
    title: 'Complete receivers',
    summary: 'Programs to copy: they verify, recognise repetitions and answer at once.',
    parts: [{ file: 'receiving.md', sections: ['Programs'] }],
  },
];
