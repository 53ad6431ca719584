// English texts of the sessions and the theatre.

const count = (value: number, one: string, many: string): string =>
  `${value.toLocaleString('en-GB')} ${value === 1 ? one : many}`;

export const theatre = {
  title: 'Replay',

  sessions: {
    search: 'Search',
    searchHint: 'A name, a circuit or a season',
    season: 'Season',
    place: 'Circuit',
    kind: 'Kind',
    any: 'All',
    live: 'Live now',
    liveAction: 'Watch live',
    recorded: 'Recorded sessions',
    found: (shown: number, all: number) =>
      shown === all
        ? count(all, 'session', 'sessions')
        : `${shown.toLocaleString('en-GB')} of ${count(all, 'session', 'sessions')}`,
    more: 'Show more',
    none: 'No session matches',
    noneHint: 'Change the search or the filters.',
    clear: 'Clear the filters',
    watch: 'Watch',
    options: 'Options',
    watchWhat: (name: string) => `Watch ${name}`,
    optionsOf: (name: string) => `Options for ${name}`,
    demo: 'Demo: takes no slot',
    unlocked: 'Unlocked',
    prepared: 'Ready',
    notPrepared: 'To be prepared',
    updates: (value: number) => count(value, 'update', 'updates'),
    quota: (used: number, limit: number) => `${used} of ${limit} replay slots used`,
    quotaUnlimited: 'Replay slots: unlimited',
    quotaHint: 'The first delivery of a session takes a slot. Watching never does.',
    thisSeason: 'Your plan replays sessions of the current season and the demo.',
  },

  start: {
    title: (name: string) => `Replay ${name}`,
    speed: 'Speed',
    where: 'Where the updates go',
    visual: 'Watch only',
    visualHint: 'Nothing is delivered, nothing is counted, and no slot is taken.',
    both: 'Watch and deliver to your endpoints',
    bothHint:
      'Every active endpoint gets the updates that it subscribes to. Each attempt counts towards the deliveries of your plan. The race goes forward only, at one speed.',
    bothDemo:
      'The demo takes no slot, and its deliveries count against their own limit. It sends every feed to every active endpoint.',
    bothSlot: (remaining: number) =>
      remaining === 0
        ? 'No replay slot is left for this session: watch only, or see what other plans include.'
        : `The first delivery takes one of the ${count(remaining, 'replay slot', 'replay slots')} left.`,
    bothFree: 'This session takes no further slot.',
    begin: 'Start',
  },

  prepare: {
    title: 'This session is to be prepared',
    hint: 'Its updates are derived from the recording, once. A race takes some seconds.',
    action: 'Prepare',
    progress: 'Preparation',
    percent: (share: number) => `${Math.floor(share * 100)}%`,
    failed: 'The preparation failed. Try again; if it fails again, tell the operator of this service.',
  },

  live: {
    title: 'Watch this session live?',
    cost: 'Each update that this page receives counts as one delivery of the month. All feeds of your plan are sent; a whole race has some ten thousand updates.',
    begin: 'Watch live',
    back: 'Other sessions',
    replay: 'Watch it as a replay',
  },

  deliver: {
    title: 'Deliver this replay?',
    cost: 'The address of this page asks for a replay to your active endpoints. Each attempt counts towards the deliveries of your plan; those of the demo race have a limit of their own.',
    begin: 'Start deliveries',
  },

  notFound: 'There is no such recorded session',
  toSessions: 'Choose a session',
  toEndpoints: 'Your endpoints',

  controls: {
    name: 'Replay controls',
    pause: 'Pause',
    resume: 'Play',
    again: 'Play again',
    back: '−30 s: back by thirty seconds',
    backShort: '−30 s',
    forward: '+30 s: forward by thirty seconds',
    forwardShort: '+30 s',
    speed: 'Speed',
    times: (speed: number) => `${speed}×`,
    stop: 'Stop deliveries',
    forwardOnly:
      'This replay delivers, each update once: it goes forward only, and keeps its speed. To change that, stop it and start another one.',
    seek: 'Time in the session',
    at: (time: string, end: string) => `${time} of ${end}`,
  },

  state: {
    starting: 'Starting…',
    playing: 'Playing',
    paused: 'Paused',
    moving: 'Moving…',
    interrupted: 'Connection lost: coming back…',
    completed: 'Played to the end',
    stopped: 'Stopped',
    left: 'Another window shows this replay now',
    live: 'Live',
    over: 'The session is over',
  },

  busy: {
    title: 'Another replay of your account is running',
    hint: 'An account runs one replay at a time. Stop the other one to start this one.',
    stop: 'Stop it and start this one',
  },

  head: {
    lapName: 'Lap',
    lap: (lap: number, total: number | null) => (total === null ? String(lap) : `${lap} of ${total}`),
    partName: 'Part',
    status: 'Session',
    part: (part: number, isSprint: boolean) => `${isSprint ? 'SQ' : 'Q'}${part}`,
    elapsed: 'Elapsed',
    remaining: 'Remaining',
    air: 'Air',
    track: 'Track',
    humidity: 'Humidity',
    wind: 'Wind',
    celsius: (value: number) => `${value.toFixed(1)} °C`,
    percent: (value: number) => `${Math.round(value)}%`,
    metresPerSecond: (value: number) => `${value.toFixed(1)} m/s`,
    rain: 'Rain',
    dry: 'Dry',
    weather: 'Weather',
    statuses: {
      inactive: 'Not started',
      started: 'Under way',
      aborted: 'Interrupted',
      finished: 'Finished',
      finalised: 'Results final',
      ends: 'Over',
    } as Readonly<Record<string, string>>,
    flags: {
      clear: 'Green flag',
      yellow: 'Yellow flag',
      safety_car: 'Safety car',
      red: 'Red flag',
      virtual_safety_car: 'Virtual safety car',
      virtual_safety_car_ending: 'Virtual safety car ending',
      unknown: 'Flag unknown',
    } as Readonly<Record<string, string>>,
  },

  raceControl: {
    title: 'Race control',
    none: 'No message of race control in what was shown so far.',
    lap: (lap: number) => `Lap ${lap}`,
  },

  moments: {
    title: 'Moments',
    none: 'What is notable appears here as it happens, and you can go back to it.',
    go: (what: string, time: string) => `Go to ${what}, ${time}`,
    kinds: {
      session_start: 'Start',
      lead_change: 'New leader',
      fastest_lap: 'Fastest lap',
      retirement: 'Retirement',
      stopped: 'Car stopped',
      safety_car_deployed: 'Safety car',
      virtual_safety_car_deployed: 'Virtual safety car',
      red_flag: 'Red flag',
      session_resumed: 'Resumed',
      penalty: 'Penalty',
      rain_start: 'Rain',
      rain_stop: 'Rain over',
      chequered_flag: 'Chequered flag',
    },
  },

  tower: {
    title: 'Timing',
    waiting: 'Waiting for the first times…',
    position: 'Pos',
    driver: 'Driver',
    gap: 'Gap',
    interval: 'Interval',
    last: 'Last lap',
    best: 'Best lap',
    sector: (sector: number) => `Sector ${sector}`,
    tyre: 'Tire',
    stops: 'Stops',
    status: 'Status',
    statuses: {
      retired: 'Out',
      knockedOut: 'Knocked out',
      stopped: 'Stopped',
      pit: 'In pit',
      outLap: 'Out lap',
    },
    merits: { overall: ', fastest of all', personal: ', own best', none: '' },
    compounds: {
      SOFT: 'Soft',
      MEDIUM: 'Medium',
      HARD: 'Hard',
      INTERMEDIATE: 'Intermediate',
      WET: 'Wet',
      HYPERSOFT: 'Hypersoft',
      ULTRASOFT: 'Ultrasoft',
      SUPERSOFT: 'Supersoft',
    } as Readonly<Record<string, string>>,
    tyreIs: (compound: string, age: number | null, isNew: boolean | null) =>
      `${compound}${age === null ? '' : `, ${count(age, 'lap', 'laps')} old`}${isNew === null ? '' : isNew ? ', fitted new' : ', fitted used'}`,
    select: (code: string, name: string) => `${code}: show ${name}`,
    none: '–',
  },

  driver: {
    team: 'Team',
    number: 'Number',
    laps: 'Laps',
    grid: 'Grid',
    best: 'Best lap',
    onLap: (lap: number) => ` on lap ${lap}`,
    speedTrap: 'Speed trap',
    kph: (value: number) => `${value} km/h`,
  },

  deliveries: {
    title: 'Deliveries of this run',
    endpoint: 'Endpoint',
    delivered: 'Delivered',
    pending: 'Pending',
    failed: 'Failed',
    skipped: 'Skipped',
    lag: 'Lag',
    ms: (value: number) => `${value.toLocaleString('en-GB')} ms`,
    pausedByBreaker: 'paused after failures',
    inactive: 'inactive',
    all: 'All',
    leftOut: (shown: number, all: number) =>
      `The ${shown} of ${all.toLocaleString('en-GB')} endpoints with the greatest lag are shown.`,
    waiting: 'The first figures come in a moment.',
  },

  panels: {
    title: 'Panels',
    show: (title: string) => `Show ${title}`,
  },
};
