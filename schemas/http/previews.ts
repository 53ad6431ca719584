// Previews of sessions: what the models expect of them. Probabilities are between 0 and 1.

import Type from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data } from './page.ts';

const probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const points = (description: string) => Type.Number({ minimum: 0, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const TEAM = Type.String({ description: 'Name of the team.' });

const DRIVER = {
  driver: Type.String({ description: 'The slug of the name.' }),
  tla: Type.String({ description: 'Three letters.' }),
  name: Type.String(),
  team: TEAM,
};

const quartiles = (description: string) =>
  nullable(
    Type.Object(
      {
        lower: Type.Number({ description: 'A quarter are below.' }),
        median: Type.Number({ description: 'Half are below.' }),
        upper: Type.Number({ description: 'Three quarters are below.' }),
      },
      { description },
    ),
  );

const countedRate = (description: string) =>
  Type.Object(
    {
      rate: probability('Drawn towards the rate of all circuits as far as there are few races.'),
      count: count('Races in which it was so.'),
      races: count('Races that were counted.'),
    },
    { description },
  );

const WinProbability = Type.Array(
  Type.Object({
    ...DRIVER,
    gridPosition: nullable(Type.Integer({ minimum: 1, description: 'Null when the grid is not known.' })),
    win: probability('To win. All drivers together: 1.'),
    podium: probability('To be among the first three. All drivers together: 3.'),
    points: probability('To score.'),
    retirement: probability('Not to see the end.'),
    expectedPosition: Type.Number({ minimum: 1, description: 'Mean place; who retires counts as last.' }),
    expectedPoints: points('Mean championship points of this race.'),
  }),
  {
    description:
      'How the race may end, by probability to win, highest first. Of a qualifying session: the race that it sets the grid for, as of before the session.',
  },
);

const QualifyingProbability = Type.Array(
  Type.Object({
    ...DRIVER,
    pole: probability('To be fastest. All drivers together: 1.'),
    topThree: probability('To be among the fastest three.'),
    topTen: probability('To be among the fastest ten.'),
    expectedPosition: Type.Number({ minimum: 1, description: 'Mean place.' }),
  }),
  {
    description:
      'How the qualifying of the race may end, as of before it, by probability of pole position, highest first. Of a sprint: its own qualifying.',
  },
);

const ExpectedStrategy = Type.Object(
  {
    stops: Type.Array(
      Type.Object({
        stops: count('Pit stops of a driver who finishes; the last entry stands for so many or more.'),
        probability: probability('All entries together: 1.'),
      }),
    ),
    meanStops: Type.Number({ minimum: 0, description: 'Mean number of pit stops of a driver who finishes.' }),
    firstStopLap: quartiles('Lap of the first stop. Null when nothing is known.'),
    pitLaneSeconds: quartiles('Time in the pit lane of a stop, in seconds. Null when nothing is known.'),
    compounds: Type.Null({ description: 'Tire compounds. Always null, for the reason that is given.' }),
    compoundsReason: Type.String({ description: 'Why there are no compounds.' }),
    basis: Type.Object(
      {
        races: count('Races in all.'),
        circuitRaces: count('Of these, at this circuit.'),
        stops: count('Pit stops in them.'),
      },
      { description: 'What this is drawn from.' },
    ),
  },
  { description: 'Pit stops to expect in the race.' },
);

const CircuitIntelligence = Type.Object(
  {
    circuitName: Type.String(),
    overtakingDifficulty: Type.Object({
      value: Type.Number({
        minimum: 0,
        maximum: 1,
        description: '0: easy; 1: hardly anybody passes. How much of the order of the grid lasts to the end.',
      }),
      meanPlacesMoved: Type.Number({ minimum: 0, description: 'Places between start and finish of a driver, mean.' }),
      races: count('Races at this circuit.'),
    }),
    poleToWin: countedRate('Races that were won from pole position.'),
    safetyCar: countedRate('Races that were neutralised. An estimate from how slow they were.'),
    retirements: Type.Object({
      rate: probability('To retire, for a driver who starts.'),
      count: count('Drivers who retired.'),
      starts: count('Drivers who started.'),
    }),
  },
  { description: 'What past races tell of the circuit, with the counts behind it.' },
);

const championshipPlace = {
  position: nullable(Type.Integer({ minimum: 1, description: 'Null before the first race of the season.' })),
  points: points('Championship points so far.'),
  titleProbability: probability(
    'To win the title. All together: 1. From some hundreds to thousands of plays of the season.',
  ),
};

const ChampionshipForm = Type.Object(
  {
    racesLeft: count(
      'Grands Prix that are left in the season, this one and those whose results the history lacks included.',
    ),
    sprintsLeft: count('Sprints that are left, likewise.'),
    drivers: Type.Array(
      Type.Object({
        ...DRIVER,
        ...championshipPlace,
        latest: Type.Array(
          Type.Object({
            eventId: Type.String(),
            position: nullable(Type.Integer({ minimum: 1, description: 'Null: not classified.' })),
            points: points('Championship points.'),
          }),
          { description: 'The latest Grands Prix, newest first.' },
        ),
      }),
    ),
    constructors: Type.Array(Type.Object({ team: TEAM, ...championshipPlace })),
  },
  { description: 'The standings before the weekend, the latest results, and how likely each title is.' },
);

const GeneratedFrom = Type.Object(
  {
    release: Type.String({ description: 'Digest of the history: the same history, the same preview.' }),
    learntTo: nullable(
      Type.String({ description: 'The newest event that the models learnt from; null when there is none.' }),
    ),
    gridKnown: Type.Boolean({ description: 'Whether the grid of the race was known, and used.' }),
    gridFrom: nullable(
      choice(
        ['history', 'qualifying'],
        'Where the grid is from: the history, or the result of the qualifying session, before penalties. Null when it was not known.',
      ),
    ),
    simulations: Type.Integer({
      description:
        'How often the race was simulated; the rest of the season is played less often, 24,000 races in all.',
    }),
    seed: Type.Integer({ description: 'Seed of the simulation; follows from release and event.' }),
  },
  { description: 'What the preview is made from. Nothing of the races of the weekend itself is ever used.' },
);

const loss = (description: string) => Type.Number({ minimum: 0, description: `${description} Lower is better.` });

const Model = Type.Object(
  {
    version: Type.String({ description: 'Another version, other forecasts from the same history.' }),
    method: Type.String(),
    baseline: Type.Object(
      {
        name: choice(
          ['grid', 'standings', 'uniform'],
          'Grid: how often each place on the grid has won. Standings: how often each place in the championship has won. Uniform: all alike.',
        ),
        winnerLogLoss: loss('Its log-loss of the winner in the same races.'),
        difference: Type.Number({ description: 'Log-loss of the model less that of the baseline, mean over races.' }),
        standardError: Type.Number({ minimum: 0, description: 'Standard error of the difference, from race to race.' }),
      },
      { description: 'The best of the simple forecasters that the model was held against.' },
    ),
    quality: Type.Object(
      {
        seasons: Type.Array(Type.Integer(), { description: 'The seasons that it was measured on.' }),
        races: count('Grands Prix that it was measured on; sprints, qualifying and titles were not.'),
        gridKnown: Type.Boolean({ description: 'Whether the grid was known to the model when it was measured.' }),
        winnerLogLoss: loss('Log-loss of the winner, in nats.'),
        winnerBrier: loss('Brier score of the winner over all drivers.'),
        placesRps: loss('Ranked probability score of the places of all drivers.'),
        calibrationError: loss('How far the chances to win and the share of wins were apart.'),
      },
      { description: 'Measured race by race, each forecast from what came before it.' },
    ),
  },
  { description: 'By what the numbers were made, and how good such numbers were.' },
);

const Headline = Type.Object(
  {
    winners: Type.Array(Type.Object({ ...DRIVER, win: probability('To win the race.') }), {
      description: 'The three likeliest winners of the race, likeliest first.',
    }),
    poleFavourite: nullable(
      Type.Object(
        { ...DRIVER, pole: probability('To be fastest in qualifying.') },
        { description: 'Who is likeliest to be fastest in the qualifying of the race; null when nobody is entered.' },
      ),
    ),
  },
  { description: 'The short view, on every plan.' },
);

export const Preview = Type.Object(
  {
    sessionId: Type.String(),
    eventId: Type.String(),
    name: Type.String({ description: 'Name of the event.' }),
    circuitName: Type.String(),
    type: choice(['Race', 'Sprint', 'Qualifying', 'Sprint Qualifying']),
    startDate: nullable(Type.String({ description: 'The planned start; null when it is not known.' })),
    status: nullable(
      choice(
        ['upcoming', 'live', 'finished', 'cancelled'],
        'How far the session is; null when neither calendar nor history tells.',
      ),
    ),
    view: choice(['headline', 'full'], 'Free: headline, without the five parts; other plans: full.'),
    message: nullable(
      Type.String({ description: 'What is to be known of this preview, such as that its session is over.' }),
    ),
    generatedFrom: GeneratedFrom,
    headline: Headline,
    winProbability: Type.Optional(WinProbability),
    qualifyingProbability: Type.Optional(QualifyingProbability),
    expectedStrategy: Type.Optional(ExpectedStrategy),
    circuitIntelligence: Type.Optional(CircuitIntelligence),
    championshipForm: Type.Optional(ChampionshipForm),
    model: Model,
    attribution: Type.String({ description: 'Where the history comes from; to be shown with what is drawn from it.' }),
  },
  { title: 'Preview' },
);

export const PreviewAnswer = data(Preview);
export const PreviewList = data(
  Type.Object({
    previews: Type.Array(Preview, {
      description: 'Of the races and sprints of the season that have not begun, soonest first.',
    }),
    message: nullable(Type.String({ description: 'Why there are none, or not of all.' })),
  }),
);
