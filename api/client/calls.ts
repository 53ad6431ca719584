// Every call, with its request and its answer. Written from the OpenAPI document: WRITE_CLIENT=1 node --test test/client/calls.test.ts

export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallShape {
  readonly method: string;
  /** Below the base URL, with its variable parts in braces. */
  readonly path: string;
  readonly takesBody: boolean;
}

/** Keys combine with AND. All are optional; an empty object matches everything. */
export interface Filters {
  /** Three-letter driver codes. */
  drivers?: readonly string[];
  /** Racing numbers. */
  driverNumbers?: readonly string[];
  /** Keywords from team names. Case and spaces do not matter. */
  constructors?: readonly string[];
  /** Range of race positions. At least one matching driver must be in it. */
  positions?: {
    /** The best position. Default: 1. */
    min?: number;
    /** The worst position. Default: the last one. */
    max?: number;
  };
  /** Only for the feed events.race. */
  eventTypes?: readonly (
    | 'session_start'
    | 'session_end'
    | 'overtake'
    | 'lead_change'
    | 'pit_entry'
    | 'pit_exit'
    | 'fastest_lap'
    | 'retirement'
    | 'safety_car_deployed'
    | 'safety_car_ending'
    | 'virtual_safety_car_deployed'
    | 'virtual_safety_car_ending'
    | 'red_flag'
    | 'yellow_flag'
    | 'track_clear'
    | 'chequered_flag'
    | 'session_resumed'
    | 'session_aborted'
    | 'segment_start'
    | 'segment_end'
    | 'knocked_out'
    | 'position_gained'
    | 'position_lost'
    | 'pit_stop'
    | 'fastest_pit_stop'
    | 'double_stack'
    | 'tire_change'
    | 'personal_best'
    | 'stopped'
    | 'investigation'
    | 'penalty'
    | 'penalty_served'
    | 'lap_deleted'
    | 'blue_flag'
    | 'black_and_white_flag'
    | 'drs_enabled'
    | 'drs_disabled'
    | 'rain_start'
    | 'rain_stop'
    | 'battle_start'
    | 'battle_end'
    | 'milestone'
    | 'team_radio'
    | 'championship_change'
  )[];
}

/** Headers of every delivery to this endpoint, by name: at most ten. Not those that the service sets, nor those that frame a message. Values are printable ASCII, at most 2,048 characters, 4,096 in all; they are kept sealed. */
export type CustomHeaders = Record<string, string>;

export interface WebhookCreation {
  /** Where deliveries go: `https` on a public address. For replays also `http` on the machine of the service. */
  webhookUrl: string;
  /** One feed. */
  feedId?: string;
  /** Several feeds: ids, `*` for all feeds of the plan, or groups such as `analytics.*`. */
  feedIds?: readonly string[];
  /** Several feeds, each with filters of its own. */
  subscriptions?: readonly {
    /** Id of the feed. */
    feedId: string;
    filters?: Filters;
  }[];
  filters?: Filters;
  /** HTTP method of the deliveries. */
  webhookMethod?: 'post' | 'put';
  /** The customer's own note, at most 256 characters. */
  description?: string;
  headers?: CustomHeaders;
  /** Before its first update of a session the endpoint gets a snapshot of each of its feeds that has a state so far: what the updates before have left behind, with snapshot: true in the payload. Default: false. */
  snapshot?: boolean;
}

export interface Subscription {
  /** Id of the feed. */
  feedId: string;
  filters: Filters;
  /** Whether deliveries are sent; false: paused. */
  active: boolean;
  /** Why nothing of this feed is delivered although it is active. tier: the plan does not include it. feed_limit: the plan has no room for it. not_offered: this service does not offer it. Null: not suspended. */
  suspended: 'tier' | 'feed_limit' | 'not_offered' | null;
}

export interface EndpointHealth {
  /** failing: the last 20 attempts failed, or more; the next success ends it. paused_for_run: the circuit breaker of the running replay has paused it. */
  state: 'healthy' | 'failing' | 'paused_for_run';
  /** Null unless it is failing. */
  failingSince: string | null;
  /** Attempts of the last hour, in every mode. The hour ends a few seconds ago. */
  attempts: number;
  /** The part of them that was answered with a 2xx, 0 to 1. Null without attempts. */
  successShare: number | null;
  /** 95 % of those that were answered with a 2xx took no longer, within 12 %. Null without any. */
  p95LatencyMs: number | null;
  /** The latest attempt that failed; null without one. */
  lastFailure: {
    /** When the attempt started. */
    at: string;
    /** As failureCode of the delivery log. */
    code: string;
    /** Null if there was no response. */
    statusCode: number | null;
  } | null;
  /** Updates of the latest 20 live sessions that ended undelivered, because four attempts failed or the time was up, and that no resend has delivered since. */
  missedUpdates: number;
}

export interface WebhookEndpoint {
  /** Id of the endpoint. */
  webhookId: string;
  /** Where deliveries go. */
  webhookUrl: string;
  /** The customer's own note; empty if there is none. */
  description: string;
  /** HTTP method of the deliveries. */
  webhookMethod: 'post' | 'put';
  /** The customer's own headers by name. Values are never shown: asterisks stand in their place. */
  headers: Record<string, string>;
  /** The series, such as `f1`. */
  seriesId: string;
  /** Whether deliveries are sent; false: paused. */
  active: boolean;
  /** endpoint_limit: the plan has no room for this endpoint, so nothing is delivered to it. Null: not suspended. */
  suspended: 'endpoint_limit' | null;
  /** The plan of the account. */
  subscriptionTier: 'free' | 'developer' | 'custom';
  /** Before its first update of a session the endpoint gets a snapshot of each of its feeds that has a state so far: what the updates before have left behind, with snapshot: true in the payload. Default: false. */
  snapshot: boolean;
  /** Number of feeds it is subscribed to. */
  feedCount: number;
  /** Patterns: `*` and group globs. The plan decides which feeds they match. */
  feedPatterns: readonly string[];
  filters: Filters;
  /** One for each feed. */
  subscriptions: readonly Subscription[];
  health: EndpointHealth;
  /** When it was made, ISO 8601. */
  createdAt: string;
  /** When it was changed last, ISO 8601. */
  updatedAt: string;
}

/** What is left out stays as it is. feedId, feedIds or subscriptions, at most one of them, is the new set of feeds: feeds that are not in it are removed. A feed that stays keeps its filters and its pause, unless its subscription has other filters. headers replaces all headers. */
export interface WebhookChange {
  /** Whether deliveries are sent; false: paused. */
  active?: boolean;
  /** Where deliveries go. */
  webhookUrl?: string;
  /** HTTP method of the deliveries. */
  webhookMethod?: 'post' | 'put';
  filters?: Filters;
  /** One feed. */
  feedId?: string;
  /** Several feeds: ids, `*` for all feeds of the plan, or groups such as `analytics.*`. */
  feedIds?: readonly string[];
  /** Several feeds, each with filters of its own. */
  subscriptions?: readonly {
    /** Id of the feed. */
    feedId: string;
    filters?: Filters;
  }[];
  /** The customer's own note, at most 256 characters. */
  description?: string;
  headers?: CustomHeaders;
  /** Before its first update of a session the endpoint gets a snapshot of each of its feeds that has a state so far: what the updates before have left behind, with snapshot: true in the payload. Default: false. */
  snapshot?: boolean;
}

export interface SubscriptionChange {
  filters?: Filters;
  /** Whether deliveries are sent; false: paused. */
  active?: boolean;
}

export interface DeliveryLogEntry {
  /** Id of the entry. */
  logId: string;
  /** Id of the endpoint. */
  webhookId: string;
  /** Null if there was no response. */
  statusCode: number | null;
  /** From the start of the attempt to the end of the response. */
  latencyMs: number;
  /** When the attempt started. */
  createdAt: string;
  /** First KiB of the response body; null if there was no response. */
  responseBody: string | null;
  /** As in the header X-Service-Delivery-Id. Null once the run is no longer kept. */
  deliveryId: string | null;
  /** Id of the feed. */
  feedId: string;
  /** Null for tests, and once the run is no longer kept. */
  sessionId: string | null;
  /** Null for tests, and once the run is no longer kept. */
  runId: string | null;
  /** How the update was sent. */
  mode: 'live' | 'replay' | 'test';
  /** Place of the update in its session, from 1; 0 for tests. Of a snapshot: the last update that it covers. */
  sequence: number;
  /** Whether it is a snapshot, and not an update. */
  snapshot: boolean;
  /** 1 to 4. An update has failed when its attempt 4 has. */
  attempt: number;
  /** How this attempt ended: delivered if it was answered with a 2xx. */
  outcome: 'delivered' | 'failed';
  /** Why the attempt failed. http_status: it was answered, but not with a 2xx. The others: there was no complete response. Null: delivered, or an old entry without a response. */
  failureCode:
    | 'http_status'
    | 'timeout'
    | 'connection_refused'
    | 'connection_reset'
    | 'connection_closed'
    | 'unreachable'
    | 'name_not_resolved'
    | 'tls'
    | 'not_allowed'
    | 'bad_answer'
    | 'other'
    | null;
  /** Why there was no response. */
  errorMessage: string | null;
  /** From when the update was due to the end of the attempt: waiting, earlier attempts and their delays included. Null for tests and in old entries. */
  lagMs: number | null;
}

export interface DeliveryLogDetail {
  /** Id of the entry. */
  logId: string;
  /** Id of the endpoint. */
  webhookId: string;
  /** Null if there was no response. */
  statusCode: number | null;
  /** From the start of the attempt to the end of the response. */
  latencyMs: number;
  /** When the attempt started. */
  createdAt: string;
  /** First KiB of the response body; null if there was no response. */
  responseBody: string | null;
  /** As in the header X-Service-Delivery-Id. Null once the run is no longer kept. */
  deliveryId: string | null;
  /** Id of the feed. */
  feedId: string;
  /** Null for tests, and once the run is no longer kept. */
  sessionId: string | null;
  /** Null for tests, and once the run is no longer kept. */
  runId: string | null;
  /** How the update was sent. */
  mode: 'live' | 'replay' | 'test';
  /** Place of the update in its session, from 1; 0 for tests. Of a snapshot: the last update that it covers. */
  sequence: number;
  /** Whether it is a snapshot, and not an update. */
  snapshot: boolean;
  /** 1 to 4. An update has failed when its attempt 4 has. */
  attempt: number;
  /** How this attempt ended: delivered if it was answered with a 2xx. */
  outcome: 'delivered' | 'failed';
  /** Why the attempt failed. http_status: it was answered, but not with a 2xx. The others: there was no complete response. Null: delivered, or an old entry without a response. */
  failureCode:
    | 'http_status'
    | 'timeout'
    | 'connection_refused'
    | 'connection_reset'
    | 'connection_closed'
    | 'unreachable'
    | 'name_not_resolved'
    | 'tls'
    | 'not_allowed'
    | 'bad_answer'
    | 'other'
    | null;
  /** Why there was no response. */
  errorMessage: string | null;
  /** From when the update was due to the end of the attempt: waiting, earlier attempts and their delays included. Null for tests and in old entries. */
  lagMs: number | null;
  /** The request as it was sent, made again. */
  request: {
    /** HTTP method of the request. */
    method: 'POST' | 'PUT';
    /** Where the request went. */
    url: string;
    /** By name. Null: cannot be made again. Values of headers of your own are not shown. */
    headers: Record<string, string | null> | null;
    /** The raw body. Null: cannot be made again. */
    body: string | null;
  };
  /** Null if there was none. */
  response: {
    /** HTTP status of the response. */
    statusCode: number;
    /** Its first KiB. */
    body: string;
  } | null;
  /** What of the request could not be made again, or may differ from what was sent. Empty: it is what was sent, byte for byte, but for the values of headers of your own. */
  notes: readonly {
    /** What the note is about. */
    part: 'url' | 'headers' | 'body' | 'signatures';
    /** Why, for programs. The docs explain each. */
    reason:
      | 'endpoint_changed'
      | 'run_removed'
      | 'test_sample'
      | 'updates_not_at_hand'
      | 'updates_changed'
      | 'made_from_recording'
      | 'secret_gone'
      | 'secret_changing';
    /** For people. The wording may change. */
    text: string;
  }[];
}

export interface ResendOrder {
  /** One delivery, by its id. */
  deliveryId?: string;
  /** Deliveries of one run, by their ids: 1,000 at most. */
  deliveryIds?: readonly string[];
  /** What the endpoint missed of the live delivery of this session. */
  sessionId?: string;
  /** What the endpoint missed of this run. */
  runId?: string;
  /** The first update that is meant: its sequence, or a time (ISO 8601), which is compared with `utc` of the updates. Without it: from the beginning. */
  since?: string | number;
  /** failed: after four attempts. skipped: for a reason. Without it: both. */
  outcome?: 'failed' | 'skipped';
  /** Only what was skipped for these reasons, such as `paused` or `breaker_open`. */
  reasons?: readonly string[];
  /** Only updates of these feeds. */
  feedIds?: readonly string[];
}

export interface MeasuredFigure {
  /** What was forecast, and the score. Lower is better in every score. */
  what: string;
  /** What it was measured on. recording: whole races and sprints that were recorded. qualifying: sessions of qualifying. */
  races: 'grand_prix' | 'sprint' | 'recording' | 'qualifying';
  /** The season of these races. */
  season: number;
  /** How many races or sessions. Each counts once. */
  count: number;
  /** The score of the model, a mean over the races. */
  loss: number;
  /** The simple rule that it was compared with, on the same races. */
  rule: string;
  /** Score of the model less that of the rule; negative: the model was better. */
  difference: number;
  /** Standard error of `difference`, across races; null: there was one race. */
  standardError: number | null;
}

/** How good the model was. Only feeds that come from a model have one. */
export interface ModelCard {
  /** What its forecasts were held against. */
  truth: string;
  /** How good it was, on races that nothing was fitted to unless `notGoodAt` says so. */
  measured: readonly MeasuredFigure[];
  /** Where it was not shown to be good, and what was not measured. */
  notGoodAt: string;
}

export interface Feed {
  /** Id of the feed. */
  feedId: string;
  /** What people call it. */
  name: string;
  /** The series, such as `f1`. */
  seriesId: string;
  /** The plan that opens it. free: every plan. live: Developer. analytics: Custom. */
  availability: 'free' | 'live' | 'analytics';
  /** Of feeds that come from a model. How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity?: 'stable' | 'beta';
  model?: ModelCard;
}

/** A payload of the feed with everything that its updates so far leave behind. */
export interface FeedState {
  /** Id of the feed. */
  feed: string;
  /** The series, such as `f1`. */
  seriesId: string;
  /** Id of the session. */
  sessionId: string;
  /** The last update of this feed. */
  sequence: number;
  /** When the timing source sent that: ISO 8601 in UTC, with milliseconds. */
  utc: string;
}

export interface Session {
  /** Id of the session. */
  sessionId: string;
  /** The series, such as `f1`. */
  seriesId: string;
  /** Name of the event and the session. */
  name: string;
  /** What kind of session it is. */
  type: string;
  /** Name of the circuit. */
  circuitName: string;
  /** When it began, ISO 8601. */
  startDate: string;
  /** From its first update to its last one. */
  durationSeconds: number;
  /** Number of its updates. */
  updateCount: number;
  /** Whether it is the demo session, which takes no slot. */
  demo: boolean;
  /** The year of its season. */
  season: number;
  /** True if a replay uses none of the simulate quota. */
  unlocked: boolean;
  /** Whether a replay can start now. */
  prepared: boolean;
}

export interface SimulateQuota {
  /** -1: unlimited. */
  limit: number;
  /** Different sessions that the account has replayed. */
  used: number;
  /** -1: unlimited. */
  remaining: number;
  /** Ids of the sessions that take no further slot. */
  unlocked: readonly string[];
  /** Whether only sessions of the current season can be replayed. */
  currentSeasonOnly: boolean;
}

export interface ReplayRequest {
  /** A prepared session. */
  sessionId: string;
  /** Multiple of real time. Default: 1. */
  speed?: number;
  /** Each endpoint gets one update at a time, in order, and later ones wait for its retries. */
  ordered?: boolean;
  /** The endpoints that get it: 100 at most. Default: all of the account. */
  webhookIds?: readonly string[];
  /** Begin with this update. Default: the first one. */
  sequence?: number;
  /** Begin where the leader begins this lap. */
  lap?: number;
  /** Begin at a time of the session, ISO 8601. */
  time?: string;
  /** Begin so many seconds into the session. */
  seconds?: number;
}

export interface Run {
  /** Id of the run. */
  runId: string;
  /** resend: updates of an earlier run, sent once more to one endpoint. */
  kind: 'replay' | 'resend';
  /** What a resend sends; null for a replay. */
  resend: {
    /** Id of the endpoint. */
    webhookId: string;
    /** The replay that they are of; null for live delivery of the session. */
    runId: string | null;
    /** How many matched when the resend began. */
    updates: number;
  } | null;
  /** Id of the session. */
  sessionId: string;
  /** Multiple of the session's own pace. */
  speed: number;
  /** visual: to the caller, as server-sent events. webhook: to endpoints. both: to both. */
  sinks: 'visual' | 'webhook' | 'both';
  /** completed: played to its end. stopping: stopped, and its attempts under way are ending. */
  state: 'running' | 'paused' | 'stopping' | 'stopped' | 'completed';
  /** Each endpoint gets one update at a time. Absent if it is not so. */
  ordered?: boolean;
  /** Number of updates played so far. */
  position: number;
  /** Number of updates of the session. */
  updateCount: number;
  /** When the run started, ISO 8601. */
  startedAt: string;
  /** When the run ended, ISO 8601; null while it runs. */
  endedAt: string | null;
  /** How many of its endpoints get deliveries now. */
  activeEndpoints: number;
  /** The others: paused, deleted, or not covered by the plan. */
  pausedEndpoints: number;
  /** The endpoints that take part; none with `sinks=visual`. A list shows 10,000 on a page at most, as many of each run. */
  endpoints: readonly {
    /** Id of the endpoint. */
    webhookId: string;
    /** Whether it gets deliveries now. */
    active: boolean;
    /** Updates that matched a subscription so far. */
    matched: number;
    /** Updates that were answered with a 2xx. */
    delivered: number;
    /** Updates whose four attempts failed. */
    failed: number;
    /** Updates skipped on purpose, by reason. */
    skipped: Record<string, number>;
    /** Updates that wait for their first attempt, or for the next one. */
    pending: number;
    /** open: the circuit breaker has paused the endpoint after 20 failed attempts in a row. */
    breaker: 'closed' | 'open';
    /** From when the last update that was started was due to its first attempt, in milliseconds. */
    lagMs: number;
  }[];
}

export interface LiveRun {
  /** Id of the run. */
  runId: string;
  /** Id of the session. */
  sessionId: string;
  /** completed: all its updates have been delivered, have failed or were skipped. */
  state: 'running' | 'stopping' | 'stopped' | 'completed';
  /** When the run started, ISO 8601. */
  startedAt: string;
  /** When the run ended, ISO 8601; null while it runs. */
  endedAt: string | null;
  /** Updates that matched a subscription so far. */
  matched: number;
  /** Updates that were answered with a 2xx. */
  delivered: number;
  /** After four attempts. */
  failed: number;
  /** Updates that wait for their first attempt, or for the next one. */
  pending: number;
  /** Of all endpoints together, as the other counts here. */
  skipped: number;
  /** The largest of its endpoints. */
  lagMs: number;
  /** The endpoints that take part: 10,000 on a page at most, as many of each run. */
  endpoints: readonly {
    /** Id of the endpoint. */
    webhookId: string;
    /** Updates that matched a subscription so far. */
    matched: number;
    /** Updates that were answered with a 2xx. */
    delivered: number;
    /** After four attempts. */
    failed: number;
    /** Updates that wait for their first attempt, or for the next one. */
    pending: number;
    /** Updates skipped on purpose, by reason. */
    skipped: Record<string, number>;
    /** From when an update was received to the start of its first attempt, for the last one that was started. */
    lagMs: number;
  }[];
}

export interface Preview {
  /** Id of the session. */
  sessionId: string;
  /** Id of the event in the calendar. */
  eventId: string;
  /** Name of the event. */
  name: string;
  /** Name of the circuit. */
  circuitName: string;
  /** What kind of session it is. */
  type: 'Race' | 'Sprint' | 'Qualifying' | 'Sprint Qualifying';
  /** Scheduled start; null if unknown. */
  startDate: string | null;
  /** Status of the session; null if neither the calendar nor the race history has it. */
  status: 'upcoming' | 'live' | 'finished' | 'cancelled' | null;
  /** headline: on the Free plan, without the five detailed parts. full: on all other plans. */
  view: 'headline' | 'full';
  /** A note about this preview, for example that its session is over. */
  message: string | null;
  /** The inputs of the preview. The result of the race itself is never used. */
  generatedFrom: {
    /** Digest of the race history. The same history gives the same preview. */
    release: string;
    /** The newest event the models were trained on; null if there is none. */
    learntTo: string | null;
    /** Whether the starting grid was known and used. */
    gridKnown: boolean;
    /** What was known of the weekend and used. nothing: none of its sessions. practice: practice, and a sprint before qualifying. grid: the grid alone. qualifying: the grid, and the times of qualifying and practice. */
    known: 'nothing' | 'practice' | 'grid' | 'qualifying';
    /** Source of the grid. qualifying: the result of the qualifying session, before penalties. Null if the grid was unknown. */
    gridFrom: 'history' | 'qualifying' | null;
    /** Number of simulations of this race. The rest of the season is simulated less often: 24,000 races in total. */
    simulations: number;
    /** Seed of the simulation, derived from the release and the event. */
    seed: number;
  };
  /** The short view, included in every plan. */
  headline: {
    /** The three most likely winners of the race, most likely first. */
    winners: readonly {
      /** Slug of the driver's name. */
      driver: string;
      /** Three-letter code. */
      tla: string;
      /** Full name of the driver. */
      name: string;
      /** Team name, as in the feeds. */
      team: string;
      /** Slug of the team name, as in the feeds; null if unknown. */
      constructorId: string | null;
      /** Probability of winning the race. */
      win: number;
    }[];
    /** The driver most likely to take pole position; null if there are no entries. */
    poleFavourite: {
      /** Slug of the driver's name. */
      driver: string;
      /** Three-letter code. */
      tla: string;
      /** Full name of the driver. */
      name: string;
      /** Team name, as in the feeds. */
      team: string;
      /** Slug of the team name, as in the feeds; null if unknown. */
      constructorId: string | null;
      /** Probability of being fastest in qualifying. */
      pole: number;
    } | null;
  };
  /** Forecast of the race, most likely winner first. In the preview of a qualifying session: forecast of the race whose grid it sets, made before the session. */
  winProbability?: readonly {
    /** Slug of the driver's name. */
    driver: string;
    /** Three-letter code. */
    tla: string;
    /** Full name of the driver. */
    name: string;
    /** Team name, as in the feeds. */
    team: string;
    /** Slug of the team name, as in the feeds; null if unknown. */
    constructorId: string | null;
    /** Null if the grid is unknown. */
    gridPosition: number | null;
    /** Probability of winning. Sums to 1 over all drivers. */
    win: number;
    /** Probability of finishing in the top three. Sums to 3 over all drivers. */
    podium: number;
    /** Probability of scoring championship points. */
    points: number;
    /** Probability of retiring. */
    retirement: number;
    /** Mean finishing position; a retirement counts as last. */
    expectedPosition: number;
    /** Mean championship points from this race. */
    expectedPoints: number;
  }[];
  /** Forecast of the qualifying session of this race, made before that session; most likely pole-sitter first. A sprint has its own qualifying. */
  qualifyingProbability?: readonly {
    /** Slug of the driver's name. */
    driver: string;
    /** Three-letter code. */
    tla: string;
    /** Full name of the driver. */
    name: string;
    /** Team name, as in the feeds. */
    team: string;
    /** Slug of the team name, as in the feeds; null if unknown. */
    constructorId: string | null;
    /** Probability of being fastest. Sums to 1 over all drivers. */
    pole: number;
    /** Probability of being among the fastest three. */
    topThree: number;
    /** Probability of being among the fastest ten. */
    topTen: number;
    /** Mean qualifying position. */
    expectedPosition: number;
  }[];
  /** Expected pit stops of the race. */
  expectedStrategy?: {
    /** How probable each number of stops is. */
    stops: readonly {
      /** Pit stops of a driver who finishes. The last entry means this many or more. */
      stops: number;
      /** Sums to 1 over all entries. */
      probability: number;
    }[];
    /** Mean number of pit stops of a driver who finishes. */
    meanStops: number;
    /** Lap of the first stop. Null if unknown. */
    firstStopLap: {
      /** Lower quartile: 25 % of values are below it. */
      lower: number;
      /** Median: 50 % of values are below it. */
      median: number;
      /** Upper quartile: 75 % of values are below it. */
      upper: number;
    } | null;
    /** Pit lane time of a stop, in seconds. Null if unknown. */
    pitLaneSeconds: {
      /** Lower quartile: 25 % of values are below it. */
      lower: number;
      /** Median: 50 % of values are below it. */
      median: number;
      /** Upper quartile: 75 % of values are below it. */
      upper: number;
    } | null;
    /** Tire compounds. Always null; `compoundsReason` says why. */
    compounds: null;
    /** Why `compounds` is null. */
    compoundsReason: string;
    /** The data behind these estimates. */
    basis: {
      /** Races in total. */
      races: number;
      /** Races at this circuit. */
      circuitRaces: number;
      /** Pit stops in these races. */
      stops: number;
    };
  };
  /** What past races say about the circuit, with the underlying counts. */
  circuitIntelligence?: {
    /** Name of the circuit. */
    circuitName: string;
    /** How hard it is to overtake. */
    overtakingDifficulty: {
      /** How much of the grid order lasts to the finish. 0: overtaking is easy; 1: almost impossible. */
      value: number;
      /** Mean distance, in positions, between where a driver starts and finishes. */
      meanPlacesMoved: number;
      /** Races at this circuit. */
      races: number;
    };
    /** Races won from pole position. */
    poleToWin: {
      /** Estimated rate. The fewer the races, the closer it is to the rate across all circuits. */
      rate: number;
      /** Races in which it happened. */
      count: number;
      /** Races examined. */
      races: number;
    };
    /** Neutralised races, estimated from how slow they were. */
    safetyCar: {
      /** Estimated rate. The fewer the races, the closer it is to the rate across all circuits. */
      rate: number;
      /** Races in which it happened. */
      count: number;
      /** Races examined. */
      races: number;
    };
    /** How often drivers retire. */
    retirements: {
      /** Probability that a driver who starts retires. */
      rate: number;
      /** Drivers who retired. */
      count: number;
      /** Drivers who started. */
      starts: number;
    };
  };
  /** Championship standings before the weekend, latest results and title probabilities. */
  championshipForm?: {
    /** Grands Prix left in the season, including this one and any whose results the race history lacks. */
    racesLeft: number;
    /** Sprints left in the season, counted the same way. */
    sprintsLeft: number;
    /** The drivers of the season, in the order of the championship. */
    drivers: readonly {
      /** Slug of the driver's name. */
      driver: string;
      /** Three-letter code. */
      tla: string;
      /** Full name of the driver. */
      name: string;
      /** Team name, as in the feeds. */
      team: string;
      /** Slug of the team name, as in the feeds; null if unknown. */
      constructorId: string | null;
      /** Null before the first race of the season. */
      position: number | null;
      /** Championship points so far. */
      points: number;
      /** Probability of winning the title. Sums to 1. Based on hundreds to thousands of simulated seasons. */
      titleProbability: number;
      /** Latest Grands Prix, newest first. */
      latest: readonly {
        /** Id of the event in the calendar. */
        eventId: string;
        /** Null if not classified. */
        position: number | null;
        /** Championship points. */
        points: number;
      }[];
    }[];
    /** The constructors of the season, in the order of the championship. */
    constructors: readonly {
      /** Team name, as in the feeds. */
      team: string;
      /** Slug of the team name, as in the feeds; null if unknown. */
      constructorId: string | null;
      /** Null before the first race of the season. */
      position: number | null;
      /** Championship points so far. */
      points: number;
      /** Probability of winning the title. Sums to 1. Based on hundreds to thousands of simulated seasons. */
      titleProbability: number;
    }[];
  };
  /** The model behind the numbers, and how accurate it was on past races. */
  model: {
    /** Changes whenever the same history gives different forecasts. */
    version: string;
    /** How the forecasts are made, in a few words. */
    method: string;
    /** The best simple rule that the model was compared with. */
    baseline: {
      /** grid: how often each grid position has won. grid_and_gap: a logistic regression on grid position and gap in qualifying. standings: how often each championship position has won. */
      name: 'grid' | 'grid_and_gap' | 'standings';
      /** Log-loss of its winner forecast in the same races. Lower is better. */
      winnerLogLoss: number;
      /** Log-loss of the model minus that of the baseline, mean over races. */
      difference: number;
      /** Standard error of `difference`, across races. */
      standardError: number;
    };
    /** Evaluated race by race; each forecast used only earlier data. */
    quality: {
      /** Seasons in the evaluation. */
      seasons: readonly number[];
      /** Grands Prix in the evaluation. Sprints and titles were not evaluated. */
      races: number;
      /** Whether the model knew the grid in the evaluation. */
      gridKnown: boolean;
      /** What the model knew of each weekend in the evaluation. nothing: none of its sessions. practice: practice, and a sprint before qualifying. grid: the grid alone. qualifying: the grid, and the times of qualifying and practice. */
      known: 'nothing' | 'practice' | 'grid' | 'qualifying';
      /** Log-loss of the winner forecast, in nats. Lower is better. */
      winnerLogLoss: number;
      /** Brier score of the winner forecast, over all drivers. Lower is better. */
      winnerBrier: number;
      /** Ranked probability score of the finishing positions of all drivers. Lower is better. */
      placesRps: number;
      /** Gap between the forecast win probabilities and the share of wins. Lower is better. */
      calibrationError: number;
      /** How often clear favourites won. */
      favourites: {
        /** Drivers who were given a probability of at least 0.5. */
        count: number;
        /** Their mean probability of winning. */
        told: number;
        /** The share of them that won. */
        won: number;
        /** Standard error of `won` if the probabilities are right. */
        standardError: number;
      };
      /** The seasons one by one; they differ. */
      bySeason: readonly {
        /** The season. */
        season: number;
        /** Grands Prix of the season in the evaluation. */
        races: number;
        /** Log-loss of the winner forecast, in nats. Lower is better. */
        winnerLogLoss: number;
        /** How often clear favourites won. */
        favourites: {
          /** Drivers who were given a probability of at least 0.5. */
          count: number;
          /** Their mean probability of winning. */
          told: number;
          /** The share of them that won. */
          won: number;
          /** Standard error of `won` if the probabilities are right. */
          standardError: number;
        };
        /** The best simple rule in this season. */
        baseline: {
          /** grid: how often each grid position has won. grid_and_gap: a logistic regression on grid position and gap in qualifying. standings: how often each championship position has won. */
          name: 'grid' | 'grid_and_gap' | 'standings';
          /** Log-loss of its winner forecast in the same races. Lower is better. */
          winnerLogLoss: number;
          /** Log-loss of the model minus that of the baseline, mean over races. */
          difference: number;
          /** Standard error of `difference`, across races. */
          standardError: number;
        };
      }[];
    };
  };
  /** Source of the race history. Show it beside any data that you display. */
  attribution: string;
}

export type CreateWebhookRequest = WebhookCreation;
export type CreateWebhookAnswer = {
  /** Id of the endpoint. */
  webhookId: string;
  /** Where deliveries go. */
  webhookUrl: string;
  /** Whether deliveries are sent; false: paused. */
  active: boolean;
  /** The feeds, one each. */
  subscriptions: readonly {
    /** Id of the feed. */
    feedId: string;
    /** Whether deliveries are sent; false: paused. */
    active: boolean;
  }[];
  /** Key of the delivery signatures. Store it like a password. */
  webhookSecret: string;
};

export type ListWebhooksRequest = {
  /** Most items of this page. Default: 20. */
  limit?: number;
  /** Items of the list before this page. */
  offset?: number;
};
export type ListWebhooksAnswer = {
  /** The endpoints of this page. */
  endpoints: readonly WebhookEndpoint[];
  /** Number of items in the whole list. */
  total: number;
  /** Most items of this page. */
  limit: number;
  /** Items of the list before this page. */
  offset: number;
};

export type GetWebhookRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
};
export type GetWebhookAnswer = WebhookEndpoint;

export type ChangeWebhookRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
} & WebhookChange;
export type ChangeWebhookAnswer = WebhookEndpoint;

export type DeleteWebhookRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
};
export type DeleteWebhookAnswer = {
  /** Id of the endpoint. */
  webhookId: string;
  /** Always true. */
  deleted: boolean;
};

export type ChangeSubscriptionRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
  /** Id of a feed of the endpoint. */
  feedId: string;
} & SubscriptionChange;
export type ChangeSubscriptionAnswer = Subscription;

export type GetWebhookSecretRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
};
export type GetWebhookSecretAnswer = {
  /** Id of the endpoint. */
  webhookId: string;
  /** Key of the delivery signatures. Store it like a password. */
  webhookSecret: string;
};

export type RotateWebhookSecretRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
};
export type RotateWebhookSecretAnswer = {
  /** Key of the delivery signatures. Store it like a password. */
  webhookSecret: string;
};

export type ListDeliveryLogRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
  /** Entries on a page. Default: 50. */
  limit?: number;
  /** The nextCursor of an earlier answer. */
  cursor?: string;
  /** Attempts that ended so. */
  outcome?: 'delivered' | 'failed';
  /** Attempts that were answered with this HTTP status. */
  status?: number;
  /** Attempts of this feed, by its feedId. */
  feed?: string;
  /** Attempts of this run, by its runId. */
  run?: string;
  /** Attempts of all runs of this session, live and replayed. */
  session?: string;
  /** Attempts of this delivery, by its id: the webhook-id of the request. */
  delivery?: string;
  /** Attempts of this mode. */
  mode?: 'live' | 'replay' | 'test';
  /** Attempts that started at or after this time, ISO 8601. */
  since?: string;
  /** Attempts that started before this time, ISO 8601. */
  until?: string;
};
export type ListDeliveryLogAnswer = {
  /** The attempts of this page, the latest first. */
  logs: readonly DeliveryLogEntry[];
  /** Cursor of the next, older page; null on the last page. With filters a page may have fewer entries than the limit, or none, and a cursor nevertheless: each request searches a bounded part of the log. */
  nextCursor: string | null;
};

export type GetDeliveryLogEntryRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
  /** Id of an entry of the delivery log. */
  logId: string;
};
export type GetDeliveryLogEntryAnswer = DeliveryLogDetail;

export type TestWebhookRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
};
export type TestWebhookAnswer = {
  /** Whether the answer was a 2xx. */
  delivered: boolean;
  /** HTTP status of the response. */
  statusCode: number | null;
  /** From the start of the attempt to the end of the response, in milliseconds. */
  latencyMs: number;
  /** Why there was no response; null if there was one. */
  errorMessage: string | null;
};

export type ResendUpdatesRequest = {
  /** Id of an endpoint, as in the answer of POST /v1/webhooks. */
  webhookId: string;
} & ResendOrder;
export type ResendUpdatesAnswer = {
  /** The run that sends the updates. It is listed and stopped like a replay. */
  runId: string;
  /** Id of the endpoint. */
  webhookId: string;
  /** Id of the session. */
  sessionId: string;
  /** The mode of the deliveries, as it was the first time. */
  mode: 'live' | 'replay';
  /** How many updates match the present subscriptions and filters and go out. */
  updates: number;
};

export type ListFeedsRequest = {
  /** Most items of this page. Default: 100. */
  limit?: number;
  /** Items of the list before this page. */
  offset?: number;
};
export type ListFeedsAnswer = {
  /** The feeds of this page. */
  feeds: readonly Feed[];
  /** Number of items in the whole list. */
  total: number;
  /** Most items of this page. */
  limit: number;
  /** Items of the list before this page. */
  offset: number;
};

export type ListEventsRequest = {
  /** Default: the current season. */
  season?: number;
};
export type ListEventsAnswer = {
  /** The events of the season, by date. */
  events: readonly {
    /** Also the raceId of fantasy scores. */
    eventId: string;
    /** Name of the event. */
    name: string;
    /** Name of the circuit. */
    circuitName: string;
    /** Its place in the season, from 1. */
    round: number;
    /** The sessions of the event, by date. */
    sessions: readonly {
      /** Id of the session. */
      sessionId: string;
      /** What kind of session it is. */
      type: 'Practice' | 'Qualifying' | 'Sprint Qualifying' | 'Sprint' | 'Race';
      /** Scheduled start. */
      startDate: string;
      /** cancelled: missing from the latest calendar. It may return. A rescheduled session keeps its id. */
      status: 'upcoming' | 'live' | 'finished' | 'cancelled';
    }[];
  }[];
};

export type GetSessionStateRequest = {
  /** Id of a session, as in GET /v1/events or GET /v1/simulate/sessions. */
  sessionId: string;
  /** The update after which the states are shown. Default: the latest. */
  sequence?: number;
  /** One feed. Default: all feeds of the plan. */
  feed?: string;
  /** Several feeds, joined by commas; `*` and groups such as `tire.*` are allowed. */
  feeds?: string;
};
export type GetSessionStateAnswer = {
  /** Id of the session. */
  sessionId: string;
  /** The series, such as `f1`. */
  seriesId: string;
  /** Whether the session is live, so that more updates may follow. */
  live: boolean;
  /** The last update in the states; 0 before the first one. */
  sequence: number;
  /** Number of updates of the session, so far if it is live. */
  updateCount: number;
  /** One for each feed that has an update so far, in the order of the catalogue. */
  states: readonly FeedState[];
};

export type ListSessionsRequest = {
  /** Most items of this page. Default: 20. */
  limit?: number;
  /** Items of the list before this page. */
  offset?: number;
};
export type ListSessionsAnswer = {
  /** The sessions of this page. */
  sessions: readonly Session[];
  /** Number of items in the whole list. */
  total: number;
  /** Most items of this page. */
  limit: number;
  /** Items of the list before this page. */
  offset: number;
};

export type GetSimulateQuotaAnswer = SimulateQuota;

export type PrepareSessionRequest = {
  /** Id of the session. */
  sessionId: string;
};
export type PrepareSessionAnswer = {
  /** Id of the session. */
  sessionId: string;
  /** A replay can start when it is ready. none: it was not asked for. failed: ask for it again. */
  status: 'none' | 'preparing' | 'ready' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** Number of its updates. */
  updateCount: number;
};

export type GetPreparationRequest = {
  /** Id of the session. */
  session: string;
};
export type GetPreparationAnswer = {
  /** Id of the session. */
  sessionId: string;
  /** A replay can start when it is ready. none: it was not asked for. failed: ask for it again. */
  status: 'none' | 'preparing' | 'ready' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** Number of its updates. */
  updateCount: number;
};

export type StopRunRequest = {
  /** Id of the run. */
  runId: string;
};
export type StopRunAnswer = {
  /** Id of the run. */
  runId: string;
  /** completed: played to its end. stopping: stopped, and its attempts under way are ending. */
  state: 'running' | 'paused' | 'stopping' | 'stopped' | 'completed';
};

export type StartReplayRequest = ReplayRequest;
export type StartReplayAnswer = {
  /** Id of the run. */
  runId: string;
  /** Id of the session. */
  sessionId: string;
  /** Multiple of the session's own pace. */
  speed: number;
  /** Number of updates of the session. */
  updateCount: number;
  /** Number of endpoints in the run, including paused ones. */
  endpoints: number;
  /** Those of them that get deliveries now. */
  activeEndpoints: number;
  /** The others: paused, or not covered by the plan. */
  pausedEndpoints: number;
  /** The endpoints that the start has chosen. Absent without a choice. */
  webhookIds?: readonly string[];
  /** Updates that match the endpoints as they are now, summed over the endpoints. Retries come on top. */
  expectedDeliveries: number;
  /** Deliveries that the account has left this month; of the demo session for the demo session. Null: no limit. */
  deliveriesLeft: number | null;
  /** Says so when the replay has more deliveries than are left this month. */
  warning: string | null;
};

export type ListRunsRequest = {
  /** Most items of this page. Default: 20. */
  limit?: number;
  /** Items of the list before this page. */
  offset?: number;
  /** Runs in this state. */
  state?: 'running' | 'paused' | 'stopping' | 'stopped' | 'completed';
  /** Replays of this session. */
  session?: string;
  /** Runs with these sinks. */
  sinks?: 'visual' | 'webhook' | 'both';
};
export type ListRunsAnswer = {
  /** The runs of this page, the latest first. */
  runs: readonly Run[];
  /** Number of items in the whole list. */
  total: number;
  /** Most items of this page. */
  limit: number;
  /** Items of the list before this page. */
  offset: number;
};

export type GetRunRequest = {
  /** Id of a run, as in the answer that started it. */
  runId: string;
};
export type GetRunAnswer = Run;

export type PauseRunRequest = {
  /** Id of a run, as in the answer that started it. */
  runId: string;
};
export type PauseRunAnswer = {
  /** Id of the run. */
  runId: string;
  /** completed: played to its end. stopping: stopped, and its attempts under way are ending. */
  state: 'running' | 'paused' | 'stopping' | 'stopped' | 'completed';
  /** Number of updates played or jumped over so far. */
  position: number;
};

export type ResumeRunRequest = {
  /** Id of a run, as in the answer that started it. */
  runId: string;
};
export type ResumeRunAnswer = {
  /** Id of the run. */
  runId: string;
  /** completed: played to its end. stopping: stopped, and its attempts under way are ending. */
  state: 'running' | 'paused' | 'stopping' | 'stopped' | 'completed';
  /** Number of updates played or jumped over so far. */
  position: number;
};

export type SeekRunRequest = {
  /** Id of a run, as in the answer that started it. */
  runId: string;
} & {
  /** The next update to play. */
  sequence?: number;
  /** To where the leader begins this lap. */
  lap?: number;
  /** A time of the session, ISO 8601. */
  time?: string;
  /** Seconds since the beginning of the session. */
  seconds?: number;
};
export type SeekRunAnswer = {
  /** Id of the run. */
  runId: string;
  /** completed: played to its end. stopping: stopped, and its attempts under way are ending. */
  state: 'running' | 'paused' | 'stopping' | 'stopped' | 'completed';
  /** Number of updates played or jumped over so far. */
  position: number;
};

export type ListLiveRunsRequest = {
  /** Most items of this page. Default: 20. */
  limit?: number;
  /** Items of the list before this page. */
  offset?: number;
  /** Runs of this session only. */
  session?: string;
};
export type ListLiveRunsAnswer = {
  /** The runs of this page, the latest first. */
  runs: readonly LiveRun[];
  /** Number of items in the whole list. */
  total: number;
  /** Most items of this page. */
  limit: number;
  /** Items of the list before this page. */
  offset: number;
};

export type ListPreviewsAnswer = {
  /** Previews of the races and sprints of the season that have not started, soonest first. */
  previews: readonly Preview[];
  /** Why there are no previews, or why some are missing. */
  message: string | null;
};

export type GetPreviewRequest = {
  /** Id of a session, as in GET /v1/events or GET /v1/simulate/sessions. */
  sessionId: string;
};
export type GetPreviewAnswer = Preview;

export type GetRaceScoresRequest = {
  /** Id of a race, which is `eventId` of the calendar. */
  raceId: string;
  /** Default: race, the Grand Prix. */
  session?: 'race' | 'sprint';
};
export type GetRaceScoresAnswer = {
  /** For example, 2018-azerbaijan. */
  raceId: string;
  /** Which race of the weekend the scores are of. */
  sessionType: 'grand_prix' | 'sprint';
  /** Id of the scoring rules, such as `legacy-1`. */
  rules: string;
  /** Scores are estimates, not the official scores of any fantasy game. */
  estimate: true;
  /** history: the official result. recording: the order from the timing, until the race history has the result. */
  source: 'history' | 'recording';
  /** Highest total first; ties by finishing position, then by name. */
  scores: readonly {
    /** Slug of the driver's name. */
    driver: string;
    /** Three-letter code; empty if unknown. */
    tla: string;
    /** Team name, as in the feeds; empty if unknown. */
    team: string;
    /** Slug of the team name, as in the feeds; null if unknown. */
    constructorId: string | null;
    /** The points, by what they are for. */
    breakdown: {
      /** For the finishing position; in a live session, for the current position. */
      racePosPoints: number;
      /** For the qualifying position; 0 for a sprint. */
      qualiPosPoints: number;
      /** For reaching the last part of qualifying; 0 for a sprint. */
      q3Bonus: number;
      /** Positions gained from the grid to the finish; negative if lost. Not part of the total. */
      positionsGained: number;
      /** For positions gained or lost. */
      positionsGainedPoints: number;
      /** For the fastest lap; 0 for a sprint. */
      fastestLapPoints: number;
      /** For finishing, or currently running, ahead of every other car of the team. */
      beatTeammateRace: number;
      /** For qualifying ahead of every other car of the team; 0 for a sprint. */
      beatTeammateQuali: number;
      /** For a retirement or a disqualification. */
      dnfPenalty: number;
      /** Sum of all points that are not null. */
      total: number;
    };
  }[];
  /** A note about these scores. */
  message: string | null;
  /** Source of the race history; null if none was used. */
  attribution: string | null;
};

export type GetLiveScoresRequest = {
  /** Id of a session, as in GET /v1/events or GET /v1/simulate/sessions. */
  sessionId: string;
};
export type GetLiveScoresAnswer = {
  /** Id of the session. */
  sessionId: string;
  /** True while the session runs, and shortly after its end while results may still be corrected. */
  live: boolean;
  /** True while the scores can still change. */
  provisional: boolean;
  /** The leader's current lap. */
  currentLap: number | null;
  /** Number of laps in the session. */
  totalLaps: number | null;
  /** Id of the scoring rules, such as `legacy-1`. */
  rules: string;
  /** Scores are estimates, not the official scores of any fantasy game. */
  estimate: true;
  /** Highest total first; ties by finishing position, then by name. */
  scores: readonly {
    /** Slug of the driver's name. */
    driver: string;
    /** Three-letter code; empty if unknown. */
    tla: string;
    /** Team name, as in the feeds; empty if unknown. */
    team: string;
    /** Slug of the team name, as in the feeds; null if unknown. */
    constructorId: string | null;
    /** The points, by what they are for. */
    breakdown: {
      /** For the finishing position; in a live session, for the current position. */
      racePosPoints: number;
      /** For the qualifying position; 0 for a sprint. Null until the session ends. */
      qualiPosPoints: number | null;
      /** For reaching the last part of qualifying; 0 for a sprint. Null until the session ends. */
      q3Bonus: number | null;
      /** Positions gained from the grid to the finish; negative if lost. Not part of the total. Null until the session ends. */
      positionsGained: number | null;
      /** For positions gained or lost. Null until the session ends. */
      positionsGainedPoints: number | null;
      /** For the fastest lap; 0 for a sprint. Null until the session ends. */
      fastestLapPoints: number | null;
      /** For finishing, or currently running, ahead of every other car of the team. */
      beatTeammateRace: number;
      /** For qualifying ahead of every other car of the team; 0 for a sprint. Null until the session ends. */
      beatTeammateQuali: number | null;
      /** For a retirement or a disqualification. */
      dnfPenalty: number;
      /** Sum of all points that are not null. */
      total: number;
    };
  }[];
  /** Why there are no scores, or a note about them. */
  message: string | null;
};

export type GetPitTimesRequest = {
  /** Id of a session, as in GET /v1/events or GET /v1/simulate/sessions. */
  sessionId: string;
};
export type GetPitTimesAnswer = {
  /** Id of the session. */
  sessionId: string;
  /** live during the session, historical after it. */
  source: 'live' | 'historical';
  /** The first entry of `stops`; null if there are none. */
  fastestStop: {
    /** Slug of the driver's name. */
    driver: string;
    /** Three-letter code; empty if unknown. */
    tla: string;
    /** Team name, as in the feeds; empty if unknown. */
    team: string;
    /** Slug of the team name, as in the feeds; null if unknown. */
    constructorId: string | null;
    /** The lap that ended with the stop. */
    lap: number;
    /** Time in the pit lane, from entry to exit. Longer than the time the car stood still. */
    seconds: number;
  } | null;
  /** Fastest first. Excludes waits during a race interruption and any stay longer than five minutes. */
  stops: readonly {
    /** Slug of the driver's name. */
    driver: string;
    /** Three-letter code; empty if unknown. */
    tla: string;
    /** Team name, as in the feeds; empty if unknown. */
    team: string;
    /** Slug of the team name, as in the feeds; null if unknown. */
    constructorId: string | null;
    /** The lap that ended with the stop. */
    lap: number;
    /** Time in the pit lane, from entry to exit. Longer than the time the car stood still. */
    seconds: number;
  }[];
  /** Source of the race history; null if none was used. */
  attribution: string | null;
};

export type GetUsageAnswer = {
  /** Attempts in all modes: live, replay and test. */
  deliveryCount: number;
  /** Those of them that were of the demo session. They take nothing from what the plan includes. */
  demoDeliveryCount: number;
  /** Updates that streams have sent. Each counts against the month like a delivery. */
  streamedCount: number;
  /** Those of them that were of the demo session. They take nothing from what the plan includes. */
  demoStreamedCount: number;
  /** Attempts that were answered with a 2xx. */
  successCount: number;
  /** The other attempts. */
  failureCount: number;
  /** Updates skipped on purpose. */
  skippedCount: number;
  /** Attempts included in the plan each month; null if unlimited. */
  includedDeliveries: number | null;
  /** Most attempts allowed this month, including those covered by the spend cap. Beyond it, updates are skipped. Null if unlimited. */
  deliveryLimit: number | null;
  /** Attempts billed on top of the plan. */
  overageCount: number;
  /** Cost of the overage so far, in US dollars. */
  overageCost: number;
  /** What this month adds to the invoice. */
  overage: {
    /** Attempts of this month that are billed: those beyond the included ones that were made on Developer. Never more than the spend cap pays for. */
    count: number;
    /** What they cost, in US dollars. */
    cost: number;
    /** Those of them that the payment provider has. The others follow within about an hour. */
    reportedCount: number;
    /** What overage may cost in a month, in US dollars; null on plans that do not bill any. */
    spendCap: number | null;
  };
  /** The beginning of the month (UTC), ISO 8601. */
  windowStart: string;
};

export type GetUsageByFeedAnswer = {
  /** One entry for each feed of which anything was sent. */
  byFeed: readonly {
    /** Id of the feed. */
    feedId: string;
    /** Attempts of this feed in all modes. */
    deliveryCount: number;
    /** Updates of this feed that streams have sent. */
    streamedCount: number;
    /** One entry for each day on which anything of this feed was sent, in order. They add up to the counts of the feed, without what the service counted before its version counted days. */
    byDay: readonly {
      /** The day (UTC), such as 2026-11-23. */
      date: string;
      /** Attempts of this feed that began on this day. */
      deliveryCount: number;
      /** Updates of this feed that streams have sent on this day. */
      streamedCount: number;
    }[];
  }[];
  /** The beginning of the month (UTC), ISO 8601. */
  windowStart: string;
};

export type GetUsageLatencyAnswer = {
  /** One entry for each feed with deliveries. */
  byFeed: readonly {
    /** Id of the feed. */
    feedId: string;
    /** Median time in milliseconds from when an update was due to its acknowledgement (2xx), including retries. Accurate to within relativeError between 0.1 ms and 200 s. */
    p50: number;
    /** As p50: 95 % took no longer. */
    p95: number;
    /** As p50: 99 % took no longer. */
    p99: number;
    /** Updates delivered. */
    sampleCount: number;
  }[];
  /** Largest relative error of p50, p95 and p99. */
  relativeError: number;
  /** The beginning of the month (UTC), ISO 8601. */
  windowStart: string;
};

export type GetSlaRequest = {
  /** A calendar month (UTC), such as 2026-11. The current one if left out. */
  month?: string;
};
export type GetSlaAnswer = {
  /** The calendar month (UTC), such as 2026-11. */
  month: string;
  /** Updates of live sessions that matched an endpoint, once for each endpoint. The sum of onTime, late and everything in excluded. */
  due: number;
  /** Their first attempt began within withinMs of their publication. */
  onTime: number;
  /** Their first attempt began later than that, or never, by our own doing. */
  late: number;
  /** Updates that do not count, by reason. */
  excluded: {
    /** They waited because every attempt that the endpoint may have under way at once was unanswered. */
    receiver_busy: number;
    /** The endpoint was paused. */
    paused: number;
    /** The endpoint was deleted. */
    deleted: number;
    /** The filters had changed before the attempt, and no longer matched. */
    filtered: number;
    /** The account had used its deliveries of the month. */
    monthly_limit: number;
    /** The URL is on the service's own machine. */
    replay_only: number;
  };
  /** onTime of onTime + late, with four decimals, rounded down. Null if neither has any. */
  percentage: number | null;
  /** The percentage that the plan promises. */
  target: number;
  /** Whether percentage is at least target. Null without a percentage. */
  met: boolean | null;
  /** Within how many milliseconds a first attempt is on time. */
  withinMs: number;
  /** Live sessions of which any update was due. */
  sessions: number;
  /** For how long the sources of those sessions were silent, in gaps of more than a minute. */
  sourceGapMinutes: number;
  /** For how long this service took nothing of those sessions because it was down. */
  downtimeMinutes: number;
  /** The beginning of the month (UTC), ISO 8601. */
  windowStart: string;
};

export abstract class Calls {
  /** `request`: the variable parts of the path; the rest is the body, or the query of calls without one. */
  protected abstract call(shape: CallShape, request: object, options: CallOptions | undefined): Promise<unknown>;

  /** Register an endpoint: `POST /v1/webhooks`. Registers a URL and what is sent to it: exactly one of `feedId`, `feedIds` and `subscriptions`. In `feedIds`, `*` means every feed of the plan and `analytics.*` a group. The answer has the secret that signs every delivery. */
  createWebhook(request: CreateWebhookRequest, options?: CallOptions): Promise<CreateWebhookAnswer> {
    return this.call(
      { method: 'POST', path: '/webhooks', takesBody: true },
      { ...request },
      options,
    ) as Promise<CreateWebhookAnswer>;
  }

  /** List the endpoints: `GET /v1/webhooks`. Lists the endpoints of the account with their subscriptions and health, the oldest first. */
  listWebhooks(request: ListWebhooksRequest = {}, options?: CallOptions): Promise<ListWebhooksAnswer> {
    return this.call(
      { method: 'GET', path: '/webhooks', takesBody: false },
      { ...request },
      options,
    ) as Promise<ListWebhooksAnswer>;
  }

  /** Read one endpoint: `GET /v1/webhooks/{webhookId}`. Shows an endpoint: URL, subscriptions, filters, and how its deliveries have gone of late. */
  getWebhook(request: GetWebhookRequest, options?: CallOptions): Promise<GetWebhookAnswer> {
    return this.call(
      { method: 'GET', path: '/webhooks/{webhookId}', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetWebhookAnswer>;
  }

  /** Change an endpoint: `PATCH /v1/webhooks/{webhookId}`. Changes what is given and leaves the rest. It applies from the next attempt on. Pause with `active` false; what is missed meanwhile is skipped, not kept. */
  changeWebhook(request: ChangeWebhookRequest, options?: CallOptions): Promise<ChangeWebhookAnswer> {
    return this.call(
      { method: 'PATCH', path: '/webhooks/{webhookId}', takesBody: true },
      { ...request },
      options,
    ) as Promise<ChangeWebhookAnswer>;
  }

  /** Delete an endpoint: `DELETE /v1/webhooks/{webhookId}`. Removes an endpoint for good. Its log can be read for 90 more days. */
  deleteWebhook(request: DeleteWebhookRequest, options?: CallOptions): Promise<DeleteWebhookAnswer> {
    return this.call(
      { method: 'DELETE', path: '/webhooks/{webhookId}', takesBody: false },
      { ...request },
      options,
    ) as Promise<DeleteWebhookAnswer>;
  }

  /** Change one feed subscription: `PATCH /v1/webhooks/{webhookId}/feeds/{feedId}`. Replaces the filters of one feed, or pauses it. The other feeds of the endpoint stay as they are. */
  changeSubscription(request: ChangeSubscriptionRequest, options?: CallOptions): Promise<ChangeSubscriptionAnswer> {
    return this.call(
      { method: 'PATCH', path: '/webhooks/{webhookId}/feeds/{feedId}', takesBody: true },
      { ...request },
      options,
    ) as Promise<ChangeSubscriptionAnswer>;
  }

  /** Read the signing secret of an endpoint: `GET /v1/webhooks/{webhookId}/secret`. Shows the key of the signatures at any time. Treat it like a password. */
  getWebhookSecret(request: GetWebhookSecretRequest, options?: CallOptions): Promise<GetWebhookSecretAnswer> {
    return this.call(
      { method: 'GET', path: '/webhooks/{webhookId}/secret', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetWebhookSecretAnswer>;
  }

  /** Replace the signing secret of an endpoint: `POST /v1/webhooks/{webhookId}/rotate-secret`. Makes a new secret, which signs from the next attempt on. The old one signs beside it for 24 hours. */
  rotateWebhookSecret(request: RotateWebhookSecretRequest, options?: CallOptions): Promise<RotateWebhookSecretAnswer> {
    return this.call(
      { method: 'POST', path: '/webhooks/{webhookId}/rotate-secret', takesBody: false },
      { ...request },
      options,
    ) as Promise<RotateWebhookSecretAnswer>;
  }

  /** Read the delivery log of an endpoint: `GET /v1/webhooks/{webhookId}/logs`. Shows every attempt, the latest first. Filters combine. Go on with `nextCursor` until it is null: with filters a page may be short although more follow. */
  listDeliveryLog(request: ListDeliveryLogRequest, options?: CallOptions): Promise<ListDeliveryLogAnswer> {
    return this.call(
      { method: 'GET', path: '/webhooks/{webhookId}/logs', takesBody: false },
      { ...request },
      options,
    ) as Promise<ListDeliveryLogAnswer>;
  }

  /** Read one entry of the delivery log, with the request as it was sent: `GET /v1/webhooks/{webhookId}/logs/{logId}`. Shows headers and body as they were sent, made again from the updates of the session, and the answer. `notes` says what could not be made again. */
  getDeliveryLogEntry(request: GetDeliveryLogEntryRequest, options?: CallOptions): Promise<GetDeliveryLogEntryAnswer> {
    return this.call(
      { method: 'GET', path: '/webhooks/{webhookId}/logs/{logId}', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetDeliveryLogEntryAnswer>;
  }

  /** Send a sample payload to an endpoint: `POST /v1/webhooks/{webhookId}/test`. Sends a real payload of the first feed, in mode `test`, and answers with what became of it. It is not retried. A URL on the machine of the service gets tests where it gets replays. */
  testWebhook(request: TestWebhookRequest, options?: CallOptions): Promise<TestWebhookAnswer> {
    return this.call(
      { method: 'POST', path: '/webhooks/{webhookId}/test', takesBody: false },
      { ...request },
      options,
    ) as Promise<TestWebhookAnswer>;
  }

  /** Send updates to an endpoint once more: `POST /v1/webhooks/{webhookId}/resend`. Sends what the endpoint has missed, with the bytes and delivery ids that it had. Name a session, a run or deliveries. The answer has the run that does it. */
  resendUpdates(request: ResendUpdatesRequest, options?: CallOptions): Promise<ResendUpdatesAnswer> {
    return this.call(
      { method: 'POST', path: '/webhooks/{webhookId}/resend', takesBody: true },
      { ...request },
      options,
    ) as Promise<ResendUpdatesAnswer>;
  }

  /** List the feeds: `GET /v1/feeds`. Lists every feed and the plan that opens it, whatever the plan of the account. Feeds that come from a model have its card. */
  listFeeds(request: ListFeedsRequest = {}, options?: CallOptions): Promise<ListFeedsAnswer> {
    return this.call(
      { method: 'GET', path: '/feeds', takesBody: false },
      { ...request },
      options,
    ) as Promise<ListFeedsAnswer>;
  }

  /** Read the race calendar: `GET /v1/events`. Shows the calendar of the current season. A session is `live` while it runs, within a second. */
  listEvents(request: ListEventsRequest = {}, options?: CallOptions): Promise<ListEventsAnswer> {
    return this.call(
      { method: 'GET', path: '/events', takesBody: false },
      { ...request },
      options,
    ) as Promise<ListEventsAnswer>;
  }

  /** Read the state of every feed of a session: `GET /v1/sessions/{sessionId}/state`. Shows what the updates of a session have left behind: one payload for each feed. A receiver that joins late begins with it. Recorded sessions are prepared first. */
  getSessionState(request: GetSessionStateRequest, options?: CallOptions): Promise<GetSessionStateAnswer> {
    return this.call(
      { method: 'GET', path: '/sessions/{sessionId}/state', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetSessionStateAnswer>;
  }

  /** List the sessions that can be replayed: `GET /v1/simulate/sessions`. Lists recorded sessions. `demo-race` is always there. */
  listSessions(request: ListSessionsRequest = {}, options?: CallOptions): Promise<ListSessionsAnswer> {
    return this.call(
      { method: 'GET', path: '/simulate/sessions', takesBody: false },
      { ...request },
      options,
    ) as Promise<ListSessionsAnswer>;
  }

  /** Read the simulate quota: `GET /v1/simulate/quota`. Shows how many different sessions the account has replayed, and may replay. */
  getSimulateQuota(options?: CallOptions): Promise<GetSimulateQuotaAnswer> {
    return this.call(
      { method: 'GET', path: '/simulate/quota', takesBody: false },
      {},
      options,
    ) as Promise<GetSimulateQuotaAnswer>;
  }

  /** Prepare a session for replays: `POST /v1/simulate/prepare`. Derives the updates of a recorded session, once. Ask for the progress with GET /v1/simulate/status. */
  prepareSession(request: PrepareSessionRequest, options?: CallOptions): Promise<PrepareSessionAnswer> {
    return this.call(
      { method: 'POST', path: '/simulate/prepare', takesBody: true },
      { ...request },
      options,
    ) as Promise<PrepareSessionAnswer>;
  }

  /** Read the progress of the preparation of a session: `GET /v1/simulate/status`. Says how far the preparation is. A replay can start when the status is `ready`. */
  getPreparation(request: GetPreparationRequest, options?: CallOptions): Promise<GetPreparationAnswer> {
    return this.call(
      { method: 'GET', path: '/simulate/status', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetPreparationAnswer>;
  }

  /** Stop a replay or a resend: `DELETE /v1/simulate/stream`. Ends a run. What was delivered stays delivered. 202: it stops within a few seconds. */
  stopRun(request: StopRunRequest, options?: CallOptions): Promise<StopRunAnswer> {
    return this.call(
      { method: 'DELETE', path: '/simulate/stream', takesBody: false },
      { ...request },
      options,
    ) as Promise<StopRunAnswer>;
  }

  /** Replay a session to endpoints: `POST /v1/simulate/runs`. Plays a prepared session to the endpoints of the account, and goes on without the caller: what GET /v1/simulate/stream does with `sinks=webhook`. The answer has the id of the run. */
  startReplay(request: StartReplayRequest, options?: CallOptions): Promise<StartReplayAnswer> {
    return this.call(
      { method: 'POST', path: '/simulate/runs', takesBody: true },
      { ...request },
      options,
    ) as Promise<StartReplayAnswer>;
  }

  /** List the replays and resends: `GET /v1/simulate/runs`. Lists the runs of the account, the latest first. */
  listRuns(request: ListRunsRequest = {}, options?: CallOptions): Promise<ListRunsAnswer> {
    return this.call(
      { method: 'GET', path: '/simulate/runs', takesBody: false },
      { ...request },
      options,
    ) as Promise<ListRunsAnswer>;
  }

  /** Read the progress of a replay or a resend: `GET /v1/simulate/runs/{runId}`. Shows for each endpoint what matched, was delivered, failed, was skipped and why, and what is pending. */
  getRun(request: GetRunRequest, options?: CallOptions): Promise<GetRunAnswer> {
    return this.call(
      { method: 'GET', path: '/simulate/runs/{runId}', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetRunAnswer>;
  }

  /** Pause a replay: `POST /v1/simulate/runs/{runId}/pause`. Sends nothing more until it is resumed, retries included. A run that is paused for 24 hours is stopped. */
  pauseRun(request: PauseRunRequest, options?: CallOptions): Promise<PauseRunAnswer> {
    return this.call(
      { method: 'POST', path: '/simulate/runs/{runId}/pause', takesBody: false },
      { ...request },
      options,
    ) as Promise<PauseRunAnswer>;
  }

  /** Continue a paused replay: `POST /v1/simulate/runs/{runId}/resume`. Goes on where the run was paused, at the same speed. */
  resumeRun(request: ResumeRunRequest, options?: CallOptions): Promise<ResumeRunAnswer> {
    return this.call(
      { method: 'POST', path: '/simulate/runs/{runId}/resume', takesBody: false },
      { ...request },
      options,
    ) as Promise<ResumeRunAnswer>;
  }

  /** Move a replay to another place of its session: `POST /v1/simulate/runs/{runId}/seek`. Jumps to an update, a lap, a time, or so many seconds into the session. Runs that deliver go forward only. */
  seekRun(request: SeekRunRequest, options?: CallOptions): Promise<SeekRunAnswer> {
    return this.call(
      { method: 'POST', path: '/simulate/runs/{runId}/seek', takesBody: true },
      { ...request },
      options,
    ) as Promise<SeekRunAnswer>;
  }

  /** List the live runs: what of each live session was delivered: `GET /v1/live/runs`. Shows for each live session what matched, was delivered, failed, was skipped and is pending, by endpoint. */
  listLiveRuns(request: ListLiveRunsRequest = {}, options?: CallOptions): Promise<ListLiveRunsAnswer> {
    return this.call(
      { method: 'GET', path: '/live/runs', takesBody: false },
      { ...request },
      options,
    ) as Promise<ListLiveRunsAnswer>;
  }

  /** List the previews of upcoming sessions: `GET /v1/preview/upcoming`. Forecasts the next races and sprints: who wins, how likely. Free sees the headline. */
  listPreviews(options?: CallOptions): Promise<ListPreviewsAnswer> {
    return this.call(
      { method: 'GET', path: '/preview/upcoming', takesBody: false },
      {},
      options,
    ) as Promise<ListPreviewsAnswer>;
  }

  /** Read the preview of a session: `GET /v1/preview/{sessionId}`. Forecasts one race, sprint or qualifying session that the history knows; a past one as of before it was held. */
  getPreview(request: GetPreviewRequest, options?: CallOptions): Promise<GetPreviewAnswer> {
    return this.call(
      { method: 'GET', path: '/preview/{sessionId}', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetPreviewAnswer>;
  }

  /** Read the fantasy scores of a completed race: `GET /v1/fantasy/races/{raceId}/scores`. Estimates the fantasy scores of a race that is over, the highest first. */
  getRaceScores(request: GetRaceScoresRequest, options?: CallOptions): Promise<GetRaceScoresAnswer> {
    return this.call(
      { method: 'GET', path: '/fantasy/races/{raceId}/scores', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetRaceScoresAnswer>;
  }

  /** Read the provisional fantasy scores of a live session: `GET /v1/fantasy/session/{sessionId}/scores`. Follows the scores while a race or sprint runs. What the end decides is null until then. */
  getLiveScores(request: GetLiveScoresRequest, options?: CallOptions): Promise<GetLiveScoresAnswer> {
    return this.call(
      { method: 'GET', path: '/fantasy/session/{sessionId}/scores', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetLiveScoresAnswer>;
  }

  /** Read the pit lane times of a session: `GET /v1/fantasy/session/{sessionId}/pit-times`. Ranks the stops of a session by the time in the pit lane. */
  getPitTimes(request: GetPitTimesRequest, options?: CallOptions): Promise<GetPitTimesAnswer> {
    return this.call(
      { method: 'GET', path: '/fantasy/session/{sessionId}/pit-times', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetPitTimesAnswer>;
  }

  /** Read this month's usage: `GET /v1/usage`. Counts the attempts of this calendar month (UTC), and the updates that were skipped. */
  getUsage(options?: CallOptions): Promise<GetUsageAnswer> {
    return this.call({ method: 'GET', path: '/usage', takesBody: false }, {}, options) as Promise<GetUsageAnswer>;
  }

  /** Read this month's usage by feed: `GET /v1/usage/by-feed`. Counts the attempts of this month for each feed. */
  getUsageByFeed(options?: CallOptions): Promise<GetUsageByFeedAnswer> {
    return this.call(
      { method: 'GET', path: '/usage/by-feed', takesBody: false },
      {},
      options,
    ) as Promise<GetUsageByFeedAnswer>;
  }

  /** Read this month's delivery latency by feed: `GET /v1/usage/latency`. Shows how long updates took from when they were due until your 2xx, retries included. */
  getUsageLatency(options?: CallOptions): Promise<GetUsageLatencyAnswer> {
    return this.call(
      { method: 'GET', path: '/usage/latency', takesBody: false },
      {},
      options,
    ) as Promise<GetUsageLatencyAnswer>;
  }

  /** Read how punctual live deliveries were in a month: `GET /v1/usage/sla`. Shows how many updates of live sessions were due in a month, and how many of them were begun within a second. What the service is not to blame for is excluded, and counted by reason. Custom only. */
  getSla(request: GetSlaRequest = {}, options?: CallOptions): Promise<GetSlaAnswer> {
    return this.call(
      { method: 'GET', path: '/usage/sla', takesBody: false },
      { ...request },
      options,
    ) as Promise<GetSlaAnswer>;
  }
}
