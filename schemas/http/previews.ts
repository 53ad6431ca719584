// Session previews: what the models expect. Probabilities range from 0 to 1.

import Type from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data } from './page.ts';

const probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const points = (description: string) => Type.Number({ minimum: 0, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const TEAM = {
  team: Type.String({ description: 'Team name, as in the feeds.' }),
  constructorId: nullable(Type.String({ description: 'Slug of the team name, as in the feeds; null if unknown.' })),
};

const DRIVER = {
  driver: Type.String({ description: "Slug of the driver's name." }),
  tla: Type.String({ description: 'Three-letter code.' }),
  name: Type.String({ description: 'Full name of the driver.' }),
  ...TEAM,
};

const quartiles = (description: string) =>
  nullable(
    Type.Object(
      {
        lower: Type.Number({ description: 'Lower quartile: 25 % of values are below it.' }),
        median: Type.Number({ description: 'Median: 50 % of values are below it.' }),
        upper: Type.Number({ description: 'Upper quartile: 75 % of values are below it.' }),
      },
      { description },
    ),
  );

const countedRate = (description: string) =>
  Type.Object(
    {
      rate: probability('Estimated rate. The fewer the races, the closer it is to the rate across all circuits.'),
      count: count('Races in which it happened.'),
      races: count('Races examined.'),
    },
    { description },
  );

const WinProbability = Type.Array(
  Type.Object({
    ...DRIVER,
    gridPosition: nullable(Type.Integer({ minimum: 1, description: 'Null if the grid is unknown.' })),
    win: probability('Probability of winning. Sums to 1 over all drivers.'),
    podium: probability('Probability of finishing in the top three. Sums to 3 over all drivers.'),
    points: probability('Probability of scoring championship points.'),
    retirement: probability('Probability of retiring.'),
    expectedPosition: Type.Number({ minimum: 1, description: 'Mean finishing position; a retirement counts as last.' }),
    expectedPoints: points('Mean championship points from this race.'),
  }),
  {
    description:
      'Forecast of the race, most likely winner first. In the preview of a qualifying session: forecast of the race ' +
      'whose grid it sets, made before the session.',
  },
);

const QualifyingProbability = Type.Array(
  Type.Object({
    ...DRIVER,
    pole: probability('Probability of being fastest. Sums to 1 over all drivers.'),
    topThree: probability('Probability of being among the fastest three.'),
    topTen: probability('Probability of being among the fastest ten.'),
    expectedPosition: Type.Number({ minimum: 1, description: 'Mean qualifying position.' }),
  }),
  {
    description:
      'Forecast of the qualifying session of this race, made before that session; most likely pole-sitter first. ' +
      'A sprint has its own qualifying.',
  },
);

const ExpectedStrategy = Type.Object(
  {
    stops: Type.Array(
      Type.Object({
        stops: count('Pit stops of a driver who finishes. The last entry means this many or more.'),
        probability: probability('Sums to 1 over all entries.'),
      }),
      { description: 'How probable each number of stops is.' },
    ),
    meanStops: Type.Number({ minimum: 0, description: 'Mean number of pit stops of a driver who finishes.' }),
    firstStopLap: quartiles('Lap of the first stop. Null if unknown.'),
    pitLaneSeconds: quartiles('Pit lane time of a stop, in seconds. Null if unknown.'),
    compounds: Type.Null({ description: 'Tire compounds. Always null; `compoundsReason` says why.' }),
    compoundsReason: Type.String({ description: 'Why `compounds` is null.' }),
    basis: Type.Object(
      {
        races: count('Races in total.'),
        circuitRaces: count('Races at this circuit.'),
        stops: count('Pit stops in these races.'),
      },
      { description: 'The data behind these estimates.' },
    ),
  },
  { description: 'Expected pit stops of the race.' },
);

const CircuitIntelligence = Type.Object(
  {
    circuitName: Type.String({ description: 'Name of the circuit.' }),
    overtakingDifficulty: Type.Object(
      {
        value: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'How much of the grid order lasts to the finish. 0: overtaking is easy; 1: almost impossible.',
        }),
        meanPlacesMoved: Type.Number({
          minimum: 0,
          description: 'Mean distance, in positions, between where a driver starts and finishes.',
        }),
        races: count('Races at this circuit.'),
      },
      { description: 'How hard it is to overtake.' },
    ),
    poleToWin: countedRate('Races won from pole position.'),
    safetyCar: countedRate('Neutralised races, estimated from how slow they were.'),
    retirements: Type.Object(
      {
        rate: probability('Probability that a driver who starts retires.'),
        count: count('Drivers who retired.'),
        starts: count('Drivers who started.'),
      },
      { description: 'How often drivers retire.' },
    ),
  },
  { description: 'What past races say about the circuit, with the underlying counts.' },
);

const championshipPlace = {
  position: nullable(Type.Integer({ minimum: 1, description: 'Null before the first race of the season.' })),
  points: points('Championship points so far.'),
  titleProbability: probability(
    'Probability of winning the title. Sums to 1. Based on hundreds to thousands of simulated seasons.',
  ),
};

const ChampionshipForm = Type.Object(
  {
    racesLeft: count(
      'Grands Prix left in the season, including this one and any whose results the race history lacks.',
    ),
    sprintsLeft: count('Sprints left in the season, counted the same way.'),
    drivers: Type.Array(
      Type.Object({
        ...DRIVER,
        ...championshipPlace,
        latest: Type.Array(
          Type.Object({
            eventId: Type.String({ description: 'Id of the event in the calendar.' }),
            position: nullable(Type.Integer({ minimum: 1, description: 'Null if not classified.' })),
            points: points('Championship points.'),
          }),
          { description: 'Latest Grands Prix, newest first.' },
        ),
      }),
      { description: 'The drivers of the season, in the order of the championship.' },
    ),
    constructors: Type.Array(Type.Object({ ...TEAM, ...championshipPlace }), {
      description: 'The constructors of the season, in the order of the championship.',
    }),
  },
  { description: 'Championship standings before the weekend, latest results and title probabilities.' },
);

const KNOWN = ['nothing', 'practice', 'grid', 'qualifying'] as const;
const KNOWN_MEANING =
  'nothing: none of its sessions. practice: practice, and a sprint before qualifying. grid: the grid alone. qualifying: the ' +
  'grid, and the times of qualifying and practice.';

const GeneratedFrom = Type.Object(
  {
    release: Type.String({ description: 'Digest of the race history. The same history gives the same preview.' }),
    learntTo: nullable(
      Type.String({ description: 'The newest event the models were trained on; null if there is none.' }),
    ),
    gridKnown: Type.Boolean({ description: 'Whether the starting grid was known and used.' }),
    known: choice(KNOWN, `What was known of the weekend and used. ${KNOWN_MEANING}`),
    gridFrom: nullable(
      choice(
        ['history', 'qualifying'],
        'Source of the grid. qualifying: the result of the qualifying session, before penalties. ' +
          'Null if the grid was unknown.',
      ),
    ),
    simulations: Type.Integer({
      description:
        'Number of simulations of this race. The rest of the season is simulated less often: 24,000 races in total.',
    }),
    seed: Type.Integer({ description: 'Seed of the simulation, derived from the release and the event.' }),
  },
  { description: 'The inputs of the preview. The result of the race itself is never used.' },
);

const loss = (description: string) => Type.Number({ minimum: 0, description: `${description} Lower is better.` });

const Baseline = (description: string) =>
  Type.Object(
    {
      name: choice(
        ['grid', 'grid_and_gap', 'standings'],
        'grid: how often each grid position has won. grid_and_gap: a logistic regression on grid position and gap in ' +
          'qualifying. standings: how often each championship position has won.',
      ),
      winnerLogLoss: loss('Log-loss of its winner forecast in the same races.'),
      difference: Type.Number({ description: 'Log-loss of the model minus that of the baseline, mean over races.' }),
      standardError: Type.Number({ minimum: 0, description: 'Standard error of `difference`, across races.' }),
    },
    { description },
  );

const Favourites = Type.Object(
  {
    count: count('Drivers who were given a probability of at least 0.5.'),
    told: probability('Their mean probability of winning.'),
    won: probability('The share of them that won.'),
    standardError: probability('Standard error of `won` if the probabilities are right.'),
  },
  { description: 'How often clear favourites won.' },
);

const Model = Type.Object(
  {
    version: Type.String({ description: 'Changes whenever the same history gives different forecasts.' }),
    method: Type.String({ description: 'How the forecasts are made, in a few words.' }),
    baseline: Baseline('The best simple rule that the model was compared with.'),
    quality: Type.Object(
      {
        seasons: Type.Array(Type.Integer(), { description: 'Seasons in the evaluation.' }),
        races: count('Grands Prix in the evaluation. Sprints and titles were not evaluated.'),
        gridKnown: Type.Boolean({ description: 'Whether the model knew the grid in the evaluation.' }),
        known: choice(KNOWN, `What the model knew of each weekend in the evaluation. ${KNOWN_MEANING}`),
        winnerLogLoss: loss('Log-loss of the winner forecast, in nats.'),
        winnerBrier: loss('Brier score of the winner forecast, over all drivers.'),
        placesRps: loss('Ranked probability score of the finishing positions of all drivers.'),
        calibrationError: loss('Gap between the forecast win probabilities and the share of wins.'),
        favourites: Favourites,
        bySeason: Type.Array(
          Type.Object({
            season: Type.Integer({ description: 'The season.' }),
            races: count('Grands Prix of the season in the evaluation.'),
            winnerLogLoss: loss('Log-loss of the winner forecast, in nats.'),
            favourites: Favourites,
            baseline: Baseline('The best simple rule in this season.'),
          }),
          { description: 'The seasons one by one; they differ.' },
        ),
      },
      { description: 'Evaluated race by race; each forecast used only earlier data.' },
    ),
  },
  { description: 'The model behind the numbers, and how accurate it was on past races.' },
);

const Headline = Type.Object(
  {
    winners: Type.Array(Type.Object({ ...DRIVER, win: probability('Probability of winning the race.') }), {
      description: 'The three most likely winners of the race, most likely first.',
    }),
    poleFavourite: nullable(
      Type.Object(
        { ...DRIVER, pole: probability('Probability of being fastest in qualifying.') },
        { description: 'The driver most likely to take pole position; null if there are no entries.' },
      ),
    ),
  },
  { description: 'The short view, included in every plan.' },
);

export const Preview = Type.Object(
  {
    sessionId: Type.String({ description: 'Id of the session.' }),
    eventId: Type.String({ description: 'Id of the event in the calendar.' }),
    name: Type.String({ description: 'Name of the event.' }),
    circuitName: Type.String({ description: 'Name of the circuit.' }),
    type: choice(['Race', 'Sprint', 'Qualifying', 'Sprint Qualifying'], 'What kind of session it is.'),
    startDate: nullable(Type.String({ description: 'Scheduled start; null if unknown.' })),
    status: nullable(
      choice(
        ['upcoming', 'live', 'finished', 'cancelled'],
        'Status of the session; null if neither the calendar nor the race history has it.',
      ),
    ),
    view: choice(
      ['headline', 'full'],
      'headline: on the Free plan, without the five detailed parts. full: on all other plans.',
    ),
    message: nullable(Type.String({ description: 'A note about this preview, for example that its session is over.' })),
    generatedFrom: GeneratedFrom,
    headline: Headline,
    winProbability: Type.Optional(WinProbability),
    qualifyingProbability: Type.Optional(QualifyingProbability),
    expectedStrategy: Type.Optional(ExpectedStrategy),
    circuitIntelligence: Type.Optional(CircuitIntelligence),
    championshipForm: Type.Optional(ChampionshipForm),
    model: Model,
    attribution: Type.String({ description: 'Source of the race history. Show it beside any data that you display.' }),
  },
  { title: 'Preview' },
);

export const PreviewAnswer = data(Preview);
export const PreviewList = data(
  Type.Object({
    previews: Type.Array(Preview, {
      description: 'Previews of the races and sprints of the season that have not started, soonest first.',
    }),
    message: nullable(Type.String({ description: 'Why there are no previews, or why some are missing.' })),
  }),
);
