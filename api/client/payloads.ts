// The payloads of the feeds. Written from the OpenAPI document: WRITE_CLIENT=1 node --test test/client/calls.test.ts

/** The payload of each feed. */
export interface FeedPayloads {
  'session.info': SessionInfoPayload;
  'session.status': SessionStatusPayload;
  'track.status': TrackStatusPayload;
  'race-control.messages': RaceControlMessagesPayload;
  'lap.count': LapCountPayload;
  'weather.data': WeatherDataPayload;
  'timing.data': TimingDataPayload;
  'timing.app-data': TimingAppDataPayload;
  'timing.driver-info': TimingDriverInfoPayload;
  'tire.stints': TireStintsPayload;
  'events.race': EventsRacePayload;
  'timing.stats': TimingStatsPayload;
  'timing.top-three': TimingTopThreePayload;
  'timing.lap-series': TimingLapSeriesPayload;
  'timing.race-info': TimingRaceInfoPayload;
  'tire.current': TireCurrentPayload;
  'pit-lane.times': PitLaneTimesPayload;
  'pit-lane.stops': PitLaneStopsPayload;
  'session.clock': SessionClockPayload;
  'session.data': SessionDataPayload;
  heartbeat: HeartbeatPayload;
  'team.radio': TeamRadioPayload;
  'car.telemetry': CarTelemetryPayload;
  'car.position': CarPositionPayload;
  'championship.prediction': ChampionshipPredictionPayload;
  'karting.heat': KartingHeatPayload;
  'karting.entries': KartingEntriesPayload;
  'karting.laps': KartingLapsPayload;
  'analytics.race-odds': AnalyticsRaceOddsPayload;
  'analytics.strategy': AnalyticsStrategyPayload;
  'analytics.pit-window': AnalyticsPitWindowPayload;
  'analytics.true-pace': AnalyticsTruePacePayload;
  'analytics.tire-health': AnalyticsTireHealthPayload;
  'analytics.battle': AnalyticsBattlePayload;
  'analytics.gap-projection': AnalyticsGapProjectionPayload;
  'analytics.safety-car': AnalyticsSafetyCarPayload;
  'analytics.qualifying': AnalyticsQualifyingPayload;
  'analytics.championship': AnalyticsChampionshipPayload;
  'analytics.winning-margin': AnalyticsWinningMarginPayload;
  'analytics.team-points': AnalyticsTeamPointsPayload;
  'analytics.tire-strategy': AnalyticsTireStrategyPayload;
  'analytics.sector-pace': AnalyticsSectorPacePayload;
}

export type FeedId = keyof FeedPayloads;

/** The values of `event` in `events.race`. */
export type RaceEventType = EventsRacePayload['event'];

/** Which session this is, where and when. */
export interface SessionInfoPayload {
  feed: 'session.info';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** Number of the session at the timing source. */
    sessionKey: number | null;
    /** Practice, Qualifying or Race; a sprint is a Race. */
    type: string | null;
    /** Name of the session: "Sprint", "Practice 1". */
    name: string | null;
    /** Number of the race weekend at the timing source. */
    meetingKey: number | null;
    meetingName: string | null;
    officialName: string | null;
    /** Number of the race weekend in its season. */
    round: number | null;
    /** Town or place of the circuit. */
    location: string | null;
    /** Three letters. */
    countryCode: string | null;
    countryName: string | null;
    /** Number of the circuit at the timing source. */
    circuitKey: number | null;
    circuitName: string | null;
    /** Scheduled start: ISO 8601 in UTC. */
    startUtc: string | null;
    /** Scheduled end: ISO 8601 in UTC. */
    endUtc: string | null;
    /** Local time minus UTC: "-06:00:00". */
    gmtOffset: string | null;
    /** The session's folder in the timing source's archive, with a trailing slash. */
    archivePath: string | null;
  };
}

/** Whether the session is running. */
export interface SessionStatusPayload {
  feed: 'session.status';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** inactive, started, aborted, finished, finalised or ends. In qualifying, finished follows each part. */
    status: string;
    /** Status of the current part of the session: inactive, started or finished. Since 2025. */
    partStatus?: string;
  };
}

/** The flag or safety car that applies to the whole track. */
export interface TrackStatusPayload {
  feed: 'track.status';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** clear, yellow, safety_car, red, virtual_safety_car, virtual_safety_car_ending; unknown for any other code. */
    status: string;
    /** The timing source's code: 1, 2, 4, 5, 6, 7, in the order of `status`. */
    code: number | null;
  };
}

/** A message from race control. */
export interface RaceControlMessagesPayload {
  feed: 'race-control.messages';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  data: {
    /** Number of the message in the session, from 0. A correction repeats the number. */
    index: number;
    /** When race control sent it: ISO 8601 in UTC, to the second. */
    utc: string | null;
    message: string;
    /** Flag, Drs, SafetyCar, CarEvent or Other. */
    category: string | null;
    /** Lap named in the message. */
    lap?: number;
    /** GREEN, CLEAR, YELLOW, DOUBLE YELLOW, RED, BLUE, BLACK AND WHITE or CHEQUERED. */
    flag?: string;
    /** What the flag applies to: Track, Sector or Driver. */
    scope?: string;
    /** Marshalling sector. */
    sector?: number;
    /** DEPLOYED, IN THIS LAP, ENDING, THROUGH THE PIT LANE, ENABLED or DISABLED. */
    status?: string;
    /** SAFETY CAR or VIRTUAL SAFETY CAR. */
    mode?: string;
    driver?: {
      /** Slug of the name: "max-verstappen". Null until drivers are listed. */
      driverId: string | null;
      /** Racing number. */
      number: string;
      /** Three-letter code: "VER". */
      tla: string | null;
      /** First and last name. */
      name: string | null;
      /** Team name in this session. */
      team: string | null;
      /** Slug of the team name: "red-bull-racing". */
      constructorId: string | null;
      /** Current position, from 1. */
      position: number | null;
    };
  };
}

/** The current lap of the race. */
export interface LapCountPayload {
  feed: 'lap.count';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** The leader's current lap, from 1. */
    currentLap: number | null;
    /** Number of laps in the race; changes if the race is shortened. */
    totalLaps: number | null;
  };
}

/** The weather at the track. */
export interface WeatherDataPayload {
  feed: 'weather.data';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** Air temperature, degrees Celsius. */
    airTempC: number | null;
    /** Track temperature, degrees Celsius. */
    trackTempC: number | null;
    /** Relative humidity, percent. */
    humidityPercent: number | null;
    /** Air pressure, hectopascals. */
    pressureHpa: number | null;
    /** Whether it is raining. */
    rainfall: boolean | null;
    /** Direction the wind blows from, in degrees from north. */
    windDirectionDegrees: number | null;
    /** Wind speed, in metres per second. */
    windSpeedMps: number | null;
  };
}

/** Positions, gaps, laps, sectors and speeds. */
export interface TimingDataPayload {
  feed: 'timing.data';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** Changes that concern the whole session. */
  session?: {
    /** Current part of qualifying, from 1. */
    part?: number;
    /** A lap or sector time. */
    cutOff?: {
      /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    } | null;
    /** Percent of the fastest time. */
    cutOffPercent?: number | null;
    /** Whether the times are hidden. */
    withheld?: boolean;
    /** Number of cars in each part of qualifying. */
    entries?: readonly {
      /** From 1. */
      part: number;
      /** Number of cars. */
      drivers: number;
    }[];
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Position before this update; present only if it changed. */
    previousPosition?: number;
    /** A gap to the leader or to the car ahead. */
    gapToLeader?: {
      /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
      display: string;
      /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
      seconds: number | null;
      /** Whole laps behind; present only if the gap is counted in laps. */
      lapsBehind?: number;
      /** The leader's current lap; present only for the leader. */
      leaderLap?: number;
    } | null;
    /** A gap to the leader or to the car ahead. */
    gapToAhead?: {
      /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
      display: string;
      /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
      seconds: number | null;
      /** Whole laps behind; present only if the gap is counted in laps. */
      lapsBehind?: number;
      /** The leader's current lap; present only for the leader. */
      leaderLap?: number;
    } | null;
    /** Whether the car is catching the one ahead. */
    catching?: boolean;
    /** A gap to the leader or to the car ahead. */
    gapToFastest?: {
      /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
      display: string;
      /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
      seconds: number | null;
      /** Whole laps behind; present only if the gap is counted in laps. */
      lapsBehind?: number;
      /** The leader's current lap; present only for the leader. */
      leaderLap?: number;
    } | null;
    /** Laps completed by the driver. */
    lapsCompleted?: number;
    /** Pit stops so far. */
    pitStops?: number;
    /** Whether the car is in the pit lane or its garage. */
    inPit?: boolean;
    /** Whether the car is on its out lap. */
    pitOut?: boolean;
    /** Whether the car has stopped on track. */
    stopped?: boolean;
    retired?: boolean;
    /** Whether the driver has been knocked out of qualifying. */
    knockedOut?: boolean;
    /** Whether the driver would be knocked out if the part ended now. */
    inDropZone?: boolean;
    showPosition?: boolean;
    /** The timing source's flag bits, unchanged. 1024: chequered flag. */
    statusFlags?: number;
    lastLap?: {
      /** A lap or sector time. */
      time?: {
        /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
        display: string;
        /** Milliseconds; null if `display` is not a time. */
        ms: number | null;
      } | null;
      /** Whether it is the fastest of all drivers. */
      overallFastest?: boolean;
      /** Whether it is the driver's own best. */
      personalFastest?: boolean;
    };
    bestLap?: {
      /** A lap or sector time. */
      time?: {
        /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
        display: string;
        /** Milliseconds; null if `display` is not a time. */
        ms: number | null;
      } | null;
      /** The driver's lap on which it was set. */
      lap?: number | null;
    };
    /** Sectors with a change. */
    sectors?: readonly {
      /** From 1. */
      sector: number;
      /** A lap or sector time. */
      time?: {
        /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
        display: string;
        /** Milliseconds; null if `display` is not a time. */
        ms: number | null;
      } | null;
      /** Whether it is the fastest of all drivers. */
      overallFastest?: boolean;
      /** Whether it is the driver's own best. */
      personalFastest?: boolean;
      /** Whether the car stopped in this sector. */
      stopped?: boolean;
      /** Mini-sectors that changed. */
      segments?: readonly {
        /** Mini-sector within the sector, from 1. */
        segment: number;
        /** 0 not driven yet, 2048 yellow, 2049 green, 2051 purple, 2064 pit lane; other values are undocumented. */
        status: number;
      }[];
    }[];
    speeds?: {
      intermediate1?: {
        /** Kilometres per hour. */
        kph?: number | null;
        /** Whether it is the fastest of all drivers. */
        overallFastest?: boolean;
        /** Whether it is the driver's own best. */
        personalFastest?: boolean;
      };
      intermediate2?: {
        /** Kilometres per hour. */
        kph?: number | null;
        /** Whether it is the fastest of all drivers. */
        overallFastest?: boolean;
        /** Whether it is the driver's own best. */
        personalFastest?: boolean;
      };
      finishLine?: {
        /** Kilometres per hour. */
        kph?: number | null;
        /** Whether it is the fastest of all drivers. */
        overallFastest?: boolean;
        /** Whether it is the driver's own best. */
        personalFastest?: boolean;
      };
      speedTrap?: {
        /** Kilometres per hour. */
        kph?: number | null;
        /** Whether it is the fastest of all drivers. */
        overallFastest?: boolean;
        /** Whether it is the driver's own best. */
        personalFastest?: boolean;
      };
    };
    /** Parts with a change. */
    qualifyingParts?: readonly {
      /** Part of qualifying, from 1. */
      part: number;
      bestLap?: {
        /** A lap or sector time. */
        time?: {
          /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
          display: string;
          /** Milliseconds; null if `display` is not a time. */
          ms: number | null;
        } | null;
        /** The driver's lap on which it was set. */
        lap?: number | null;
      };
      /** A gap to the leader or to the car ahead. */
      gapToFastest?: {
        /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
        display: string;
        /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
        seconds: number | null;
        /** Whole laps behind; present only if the gap is counted in laps. */
        lapsBehind?: number;
        /** The leader's current lap; present only for the leader. */
        leaderLap?: number;
      } | null;
      /** A gap to the leader or to the car ahead. */
      gapToAhead?: {
        /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
        display: string;
        /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
        seconds: number | null;
        /** Whole laps behind; present only if the gap is counted in laps. */
        lapsBehind?: number;
        /** The leader's current lap; present only for the leader. */
        leaderLap?: number;
      } | null;
    }[];
  }[];
}

/** Grid positions and the latest lap of each stint. */
export interface TimingAppDataPayload {
  feed: 'timing.app-data';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Grid position, from 1. */
    gridPosition?: number | null;
    /** Changes, by stint. */
    stintLaps?: readonly {
      /** From 1. */
      stint: number;
      /** A lap or sector time. */
      time?: {
        /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
        display: string;
        /** Milliseconds; null if `display` is not a time. */
        ms: number | null;
      } | null;
      /** The driver's lap. */
      lap?: number | null;
      /** The timing source's flag bits, unchanged. */
      lapFlags?: number | null;
    }[];
  }[];
}

/** The drivers of the session. */
export interface TimingDriverInfoPayload {
  feed: 'timing.driver-info';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Line on the timing screen, from 1. */
    line?: number | null;
    firstName?: string | null;
    lastName?: string | null;
    /** As shown on television: "M VERSTAPPEN". */
    broadcastName?: string | null;
    /** Hexadecimal RGB: "3671C6". */
    teamColor?: string | null;
    /** Three letters. */
    countryCode?: string | null;
    headshotUrl?: string | null;
    /** The timing source's code for the driver. */
    reference?: string | null;
  }[];
}

/** Which tires a car used, and for how long. */
export interface TireStintsPayload {
  feed: 'tire.stints';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Changes, by stint. */
    stints: readonly {
      /** From 1. */
      stint: number;
      /** SOFT, MEDIUM, HARD, INTERMEDIATE, WET or UNKNOWN; other names occur in 2018. */
      compound?: string | null;
      /** Whether the tires were new at the start of the stint. */
      isNew?: boolean | null;
      /** False if the stop left the tires on. */
      tiresChanged?: boolean | null;
      /** Age of the tires in laps. */
      totalLaps?: number | null;
      /** Age of the tires at the start of the stint, in laps. */
      startLaps?: number | null;
    }[];
  }[];
}

export interface Driver {
  /** Slug of the name: "max-verstappen". Null until drivers are listed. */
  driverId: string | null;
  /** Racing number. */
  number: string;
  /** Three-letter code: "VER". */
  tla: string | null;
  /** First and last name. */
  name: string | null;
  /** Team name in this session. */
  team: string | null;
  /** Slug of the team name: "red-bull-racing". */
  constructorId: string | null;
  /** Current position, from 1. */
  position: number | null;
}

/** The session has started. */
export interface SessionStartEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'session_start';
  /** The session has started. */
  data: {
    /** Kind of session; null if the timing does not say. */
    sessionType: 'Practice' | 'Qualifying' | 'Sprint Qualifying' | 'Sprint' | 'Race' | null;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The session is over. */
export interface SessionEndEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'session_end';
  /** The session is over. */
  data: {
    /** Kind of session; null if the timing does not say. */
    sessionType: 'Practice' | 'Qualifying' | 'Sprint Qualifying' | 'Sprint' | 'Race' | null;
    /** The driver in first place: the winner of a race, or the fastest of a qualifying or practice session. Null if unknown. By the timing: later penalties are missing. */
    winner: {
      /** Slug of the name: "max-verstappen". Null until drivers are listed. */
      driverId: string | null;
      /** Racing number. */
      number: string;
      /** Three-letter code: "VER". */
      tla: string | null;
      /** First and last name. */
      name: string | null;
      /** Team name in this session. */
      team: string | null;
      /** Slug of the team name: "red-bull-racing". */
      constructorId: string | null;
      /** Current position, from 1. */
      position: number | null;
    } | null;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has passed another on the track, and the new order has held for ten seconds. */
export interface OvertakeEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'overtake';
  /** A driver has passed another on the track, and the new order has held for ten seconds. */
  data: {
    /** Racing number of the driver passed. */
    overtakenNumber: string;
    /** The overtaking driver's position now, when the order has held. */
    position: number;
    /** The driver who passed, with his position before and after the pass. */
    overtaking: {
      /** Slug of the name: "max-verstappen". Null until drivers are listed. */
      driverId: string | null;
      /** Racing number. */
      number: string;
      /** Three-letter code: "VER". */
      tla: string | null;
      /** First and last name. */
      name: string | null;
      /** Team name in this session. */
      team: string | null;
      /** Slug of the team name: "red-bull-racing". */
      constructorId: string | null;
      /** Position before the pass. */
      positionBefore: number;
      /** Position after the pass. */
      positionAfter: number;
    };
    /** The driver who was passed, with his position before and after the pass. */
    overtaken: {
      /** Slug of the name: "max-verstappen". Null until drivers are listed. */
      driverId: string | null;
      /** Racing number. */
      number: string;
      /** Three-letter code: "VER". */
      tla: string | null;
      /** First and last name. */
      name: string | null;
      /** Team name in this session. */
      team: string | null;
      /** Slug of the team name: "red-bull-racing". */
      constructorId: string | null;
      /** Position before the pass. */
      positionBefore: number;
      /** Position after the pass. */
      positionAfter: number;
    };
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** Another driver leads the race, and has for ten seconds. */
export interface LeadChangeEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'lead_change';
  /** Another driver leads the race, and has for ten seconds. */
  data: {
    /** Racing number of the previous leader. */
    previousLeaderNumber: string;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has entered the pits. */
export interface PitEntryEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'pit_entry';
  /** A driver has entered the pits. */
  data: {
    /** Visits to the pits so far, including this one. */
    stop: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has left the pits. */
export interface PitExitEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'pit_exit';
  /** A driver has left the pits. */
  data: {
    /** Visits to the pits so far, including this one; absent for the first exit from the garage. */
    stop?: number;
    /** Milliseconds between the messages of pit entry and pit exit. */
    pitLaneMs?: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A lap is the fastest so far of all drivers. */
export interface FastestLapEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'fastest_lap';
  /** A lap is the fastest so far of all drivers. */
  data: {
    /** A lap or sector time. */
    time: {
      /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    };
    /** The driver's lap. */
    lap?: number;
    /** In qualifying: the part, from 1. */
    part?: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has retired. */
export interface RetirementEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'retirement';
  /** A driver has retired. */
  data: {
    /** Laps completed by the driver. */
    lapsCompleted: number;
    /** True if the timing announced it; false if the car stopped and did not continue. */
    announced: boolean;
    /** Why, if race control has said so by now; otherwise null. What it says later is an investigation. */
    cause: {
      /** collision or incident: race control reports one that involved the car. stopped: it only says that the car stopped. */
      kind: 'collision' | 'incident' | 'stopped';
      /** Turn; null if race control does not name it. */
      turn: number | null;
      /** Racing numbers of the other cars involved. */
      otherNumbers: readonly string[];
      /** The message from race control. */
      message: string;
    } | null;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The safety car is on the track. */
export interface SafetyCarDeployedEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'safety_car_deployed';
  /** The safety car is on the track. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The safety car comes in at the end of this lap. */
export interface SafetyCarEndingEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'safety_car_ending';
  /** The safety car comes in at the end of this lap. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The virtual safety car is deployed. */
export interface VirtualSafetyCarDeployedEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'virtual_safety_car_deployed';
  /** The virtual safety car is deployed. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The virtual safety car is about to end. */
export interface VirtualSafetyCarEndingEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'virtual_safety_car_ending';
  /** The virtual safety car is about to end. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The session is interrupted by a red flag. */
export interface RedFlagEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'red_flag';
  /** The session is interrupted by a red flag. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A yellow flag is shown. */
export interface YellowFlagEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'yellow_flag';
  /** A yellow flag is shown. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The track is clear again. */
export interface TrackClearEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'track_clear';
  /** The track is clear again. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** Race control shows the chequered flag; in qualifying at the end of each part. */
export interface ChequeredFlagEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'chequered_flag';
  /** Race control shows the chequered flag; in qualifying at the end of each part. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The session continues after an interruption. */
export interface SessionResumedEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'session_resumed';
  /** The session continues after an interruption. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The session is interrupted. */
export interface SessionAbortedEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'session_aborted';
  /** The session is interrupted. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A part of qualifying has started. */
export interface SegmentStartEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'segment_start';
  /** A part of qualifying has started. */
  data: {
    /** The part, from 1. */
    part: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A part of qualifying is over. */
export interface SegmentEndEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'segment_end';
  /** A part of qualifying is over. */
  data: {
    /** The part, from 1. */
    part: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver is out after a part of qualifying. */
export interface KnockedOutEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'knocked_out';
  /** A driver is out after a part of qualifying. */
  data: {
    /** Position in the part of qualifying that knocked the driver out. */
    position: number;
    /** That part, from 1. */
    part?: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has gained places other than by overtaking. */
export interface PositionGainedEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'position_gained';
  /** A driver has gained places other than by overtaking. */
  data: {
    /** New position. */
    position: number;
    /** Net number of places. */
    places: number;
    /** pit_stop, penalty (a drive-through), retirement, start (on the first lap after a start from the grid) or other. */
    cause: 'pit_stop' | 'penalty' | 'retirement' | 'start' | 'other';
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has lost places other than by being overtaken. */
export interface PositionLostEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'position_lost';
  /** A driver has lost places other than by being overtaken. */
  data: {
    /** New position. */
    position: number;
    /** Net number of places. */
    places: number;
    /** pit_stop, penalty (a drive-through), retirement, start (on the first lap after a start from the grid) or other. */
    cause: 'pit_stop' | 'penalty' | 'retirement' | 'start' | 'other';
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has made a pit stop. */
export interface PitStopEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'pit_stop';
  /** A driver has made a pit stop. */
  data: {
    /** Visits to the pits so far, including this one. */
    stop: number;
    /** Milliseconds in the pit lane. */
    pitLaneMs: number;
    /** Milliseconds that the car stood still, if known. */
    stationaryMs?: number;
    /** Source of the times. pit_stop_series: the topic PitStopSeries. pit_lane_times: the topic PitLaneTimeCollection. timing: the messages of pit entry and pit exit. */
    source: 'pit_stop_series' | 'pit_lane_times' | 'timing';
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A pit stop is the fastest of the race so far. */
export interface FastestPitStopEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'fastest_pit_stop';
  /** A pit stop is the fastest of the race so far. */
  data: {
    /** Visits to the pits so far, including this one. */
    stop: number;
    /** Milliseconds in the pit lane. */
    pitLaneMs: number;
    /** Milliseconds that the car stood still, if known. */
    stationaryMs?: number;
    /** Which time is the fastest. */
    measure: 'stationary' | 'pit_lane';
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** Both cars of a team were in the pits at once. */
export interface DoubleStackEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'double_stack';
  /** Both cars of a team were in the pits at once. */
  data: {
    /** Milliseconds between the two cars at pit entry. */
    apartMs: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A car has other tires. */
export interface TireChangeEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'tire_change';
  /** A car has other tires. */
  data: {
    /** The stint that starts, from 1. */
    stint: number;
    /** New compound: "SOFT". */
    compound: string;
    /** Previous compound, if known. */
    previousCompound?: string;
    /** Whether the tires are new, if known. */
    newTires?: boolean;
    /** Laps already on the tires. */
    tireAgeLaps?: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A lap is the driver's fastest so far. */
export interface PersonalBestEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'personal_best';
  /** A lap is the driver's fastest so far. */
  data: {
    /** A lap or sector time. */
    time: {
      /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    };
    /** The driver's lap. */
    lap?: number;
    /** In qualifying: the part, from 1. */
    part?: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A car has stopped on the track. */
export interface StoppedEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'stopped';
  /** A car has stopped on the track. */
  data: {
    /** Laps completed by the driver. */
    lapsCompleted: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** Race control reports on an incident. */
export interface InvestigationEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'investigation';
  /** Race control reports on an incident. */
  data: {
    /** The incident is noted, under investigation, to be investigated after the session, or closed without a penalty. */
    stage: 'noted' | 'under_investigation' | 'after_session' | 'no_further_action';
    /** The reason, in the words of race control. */
    reason?: string;
    /** Turn, if race control names it. */
    turn?: number;
    /** The message from race control. */
    message: string;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has a penalty. */
export interface PenaltyEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'penalty';
  /** A driver has a penalty. */
  data: {
    /** Grid places, if the penalty has any. */
    places?: number;
    /** Kind of penalty. */
    penalty: 'time' | 'drive_through' | 'stop_and_go' | 'grid' | 'other';
    /** Seconds, if the penalty has any. */
    seconds?: number;
    /** The reason, in the words of race control. */
    reason?: string;
    /** The message from race control. */
    message: string;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver has served a penalty. */
export interface PenaltyServedEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'penalty_served';
  /** A driver has served a penalty. */
  data: {
    /** Grid places, if the penalty has any. */
    places?: number;
    /** Kind of penalty. */
    penalty: 'time' | 'drive_through' | 'stop_and_go' | 'grid' | 'other';
    /** Seconds, if the penalty has any. */
    seconds?: number;
    /** The reason, in the words of race control. */
    reason?: string;
    /** The message from race control. */
    message: string;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver's lap is deleted. */
export interface LapDeletedEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'lap_deleted';
  /** A driver's lap is deleted. */
  data: {
    /** A lap or sector time. */
    time?: {
      /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    };
    /** The driver's lap. */
    lap?: number;
    /** The reason, in the words of race control. */
    reason: string;
    /** Turn, if race control names it. */
    turn?: number;
    /** The message from race control. */
    message: string;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver is shown the blue flag. */
export interface BlueFlagEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'blue_flag';
  /** A driver is shown the blue flag. */
  data: {
    /** The message from race control. */
    message: string;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A driver is shown the black and white flag. */
export interface BlackAndWhiteFlagEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'black_and_white_flag';
  /** A driver is shown the black and white flag. */
  data: {
    /** The message from race control. */
    message: string;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** DRS may be used. */
export interface DrsEnabledEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'drs_enabled';
  /** DRS may be used. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** DRS may not be used. */
export interface DrsDisabledEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'drs_disabled';
  /** DRS may not be used. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The weather station reports rain. */
export interface RainStartEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'rain_start';
  /** The weather station reports rain. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The weather station has reported no rain for three minutes. */
export interface RainStopEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'rain_stop';
  /** The weather station has reported no rain for three minutes. */
  data: Record<string, never>;
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** Two cars have been within one second of each other for half a minute. */
export interface BattleStartEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'battle_start';
  /** Two cars have been within one second of each other for half a minute. */
  data: {
    /** Position of the car ahead. */
    position: number;
    /** Latest gap between the two cars, in milliseconds. */
    gapMs: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** Two cars battle no longer. */
export interface BattleEndEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'battle_end';
  /** Two cars battle no longer. */
  data: {
    /** Position of the car ahead. */
    position: number;
    /** gap (it grew), order (another car came between), pits, stopped (or retired) or neutralised (safety car, red flag, end of the session). */
    cause: 'gap' | 'order' | 'pits' | 'stopped' | 'neutralised';
    /** Latest gap between the two cars, in milliseconds. */
    gapMs: number;
    /** Milliseconds since the gap became small enough for a battle. */
    durationMs: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** The leader has completed a share of the race. */
export interface MilestoneEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'milestone';
  /** The leader has completed a share of the race. */
  data: {
    /** Laps completed by the leader. */
    lapsCompleted: number;
    /** Number of laps in the race. */
    totalLaps: number;
    /** 25, 50, 75 or 90. */
    percent: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** A message between a driver and his team is published. */
export interface TeamRadioEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'team_radio';
  /** A message between a driver and his team is published. */
  data: {
    /** Path of the recording, relative to the session's folder at the timing source. */
    radioPath: string;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** As the race stands, another driver or team would now lead the championship. */
export interface ChampionshipChangeEvent {
  feed: 'events.race';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  event: 'championship_change';
  /** As the race stands, another driver or team would now lead the championship. */
  data: {
    /** Racing number of the driver who would have led before. */
    previousLeaderNumber?: string;
    /** Which championship. */
    championship: 'drivers' | 'teams';
    /** Of teams: the team that would now lead. */
    team?: string;
    /** Of teams: the team that would have led before. */
    previousTeam?: string;
    /** Of teams: slug of `team`. */
    constructorId?: string;
    /** Of teams: slug of `previousTeam`. */
    previousConstructorId?: string;
    /** Predicted points of the new leader. */
    points?: number;
  };
  /** The drivers concerned; the one who acts comes first. */
  drivers: readonly Driver[];
}

/** What happened. `event` says which details `data` has. */
export type EventsRacePayload =
  | SessionStartEvent
  | SessionEndEvent
  | OvertakeEvent
  | LeadChangeEvent
  | PitEntryEvent
  | PitExitEvent
  | FastestLapEvent
  | RetirementEvent
  | SafetyCarDeployedEvent
  | SafetyCarEndingEvent
  | VirtualSafetyCarDeployedEvent
  | VirtualSafetyCarEndingEvent
  | RedFlagEvent
  | YellowFlagEvent
  | TrackClearEvent
  | ChequeredFlagEvent
  | SessionResumedEvent
  | SessionAbortedEvent
  | SegmentStartEvent
  | SegmentEndEvent
  | KnockedOutEvent
  | PositionGainedEvent
  | PositionLostEvent
  | PitStopEvent
  | FastestPitStopEvent
  | DoubleStackEvent
  | TireChangeEvent
  | PersonalBestEvent
  | StoppedEvent
  | InvestigationEvent
  | PenaltyEvent
  | PenaltyServedEvent
  | LapDeletedEvent
  | BlueFlagEvent
  | BlackAndWhiteFlagEvent
  | DrsEnabledEvent
  | DrsDisabledEvent
  | RainStartEvent
  | RainStopEvent
  | BattleStartEvent
  | BattleEndEvent
  | MilestoneEvent
  | TeamRadioEvent
  | ChampionshipChangeEvent;

/** Best laps, sectors and speeds of the session. */
export interface TimingStatsPayload {
  feed: 'timing.stats';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    bestLap?: {
      /** A lap or sector time. */
      time?: {
        /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
        display: string;
        /** Milliseconds; null if `display` is not a time. */
        ms: number | null;
      } | null;
      /** The driver's lap on which it was set. */
      lap?: number | null;
      /** Rank of this value among all drivers, from 1; null if it has none. */
      rank?: number | null;
    };
    /** Sectors with a change. */
    bestSectors?: readonly {
      /** From 1. */
      sector: number;
      /** A lap or sector time. */
      time?: {
        /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
        display: string;
        /** Milliseconds; null if `display` is not a time. */
        ms: number | null;
      } | null;
      /** Rank of this value among all drivers, from 1; null if it has none. */
      rank?: number | null;
    }[];
    bestSpeeds?: {
      intermediate1?: {
        /** Kilometres per hour. */
        kph?: number | null;
        /** Rank of this value among all drivers, from 1; null if it has none. */
        rank?: number | null;
      };
      intermediate2?: {
        /** Kilometres per hour. */
        kph?: number | null;
        /** Rank of this value among all drivers, from 1; null if it has none. */
        rank?: number | null;
      };
      finishLine?: {
        /** Kilometres per hour. */
        kph?: number | null;
        /** Rank of this value among all drivers, from 1; null if it has none. */
        rank?: number | null;
      };
      speedTrap?: {
        /** Kilometres per hour. */
        kph?: number | null;
        /** Rank of this value among all drivers, from 1; null if it has none. */
        rank?: number | null;
      };
    };
  }[];
}

/** The first three lines of the timing screen. */
export interface TimingTopThreePayload {
  feed: 'timing.top-three';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** Changes that concern the whole session. */
  session?: {
    /** Current part of qualifying, from 1. */
    part?: number;
    /** Whether the times are hidden. */
    withheld?: boolean;
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** The driver's line, 1 to 3. It may briefly differ from `position`. */
    line: number;
    showPosition?: boolean | null;
    /** A lap or sector time. */
    lapTime?: {
      /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    } | null;
    /** The timing source's flag bits, unchanged. */
    lapFlags?: number | null;
    /** A gap to the leader or to the car ahead. */
    gapToAhead?: {
      /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
      display: string;
      /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
      seconds: number | null;
      /** Whole laps behind; present only if the gap is counted in laps. */
      lapsBehind?: number;
      /** The leader's current lap; present only for the leader. */
      leaderLap?: number;
    } | null;
    /** A gap to the leader or to the car ahead. */
    gapToLeader?: {
      /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
      display: string;
      /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
      seconds: number | null;
      /** Whole laps behind; present only if the gap is counted in laps. */
      lapsBehind?: number;
      /** The leader's current lap; present only for the leader. */
      leaderLap?: number;
    } | null;
    /** Whether the lap is the fastest of all drivers. */
    overallFastest?: boolean | null;
    /** Whether the lap is the driver's own best. */
    personalFastest?: boolean | null;
  }[];
}

/** Positions at the end of each lap. */
export interface TimingLapSeriesPayload {
  feed: 'timing.lap-series';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** New and corrected positions. */
    lapPositions: readonly {
      /** Laps completed by the driver; 0 is the start. */
      lapsCompleted: number;
      /** Position at that moment, from 1. */
      position: number | null;
    }[];
  }[];
}

/** Gaps, pit stops and overtaking in a race. */
export interface TimingRaceInfoPayload {
  feed: 'timing.race-info';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Position in this overview, from 1. It may briefly differ from `position`. */
    racePosition?: number | null;
    /** A gap to the leader or to the car ahead. */
    gapToLeader?: {
      /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
      display: string;
      /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
      seconds: number | null;
      /** Whole laps behind; present only if the gap is counted in laps. */
      lapsBehind?: number;
      /** The leader's current lap; present only for the leader. */
      leaderLap?: number;
    } | null;
    /** A gap to the leader or to the car ahead. */
    gapToAhead?: {
      /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
      display: string;
      /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
      seconds: number | null;
      /** Whole laps behind; present only if the gap is counted in laps. */
      lapsBehind?: number;
      /** The leader's current lap; present only for the leader. */
      leaderLap?: number;
    } | null;
    /** Pit stops so far. */
    pitStops?: number | null;
    /** The timing source's code for catching the car ahead, unchanged. */
    catchingState?: number | null;
    /** The timing source's code, unchanged. 2: the driver is overtaking. */
    overtakeState?: number | null;
    /** Whether the driver is out of the race. */
    isOut?: boolean | null;
  }[];
}

/** The tires currently on a car. */
export interface TireCurrentPayload {
  feed: 'tire.current';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** SOFT, MEDIUM, HARD, INTERMEDIATE, WET or UNKNOWN; other names occur in 2018. */
    compound?: string | null;
    /** Whether the tires were new when fitted. */
    isNew?: boolean | null;
  }[];
}

/** How long a car was in the pit lane. */
export interface PitLaneTimesPayload {
  feed: 'pit-lane.times';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** A lap or sector time. */
    pitLaneTime: {
      /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    } | null;
    /** The driver's lap when the car came in. */
    lap: number | null;
    /** True if it was longer than five minutes, for example during a red flag. Do not compare it with pit stops. */
    interrupted: boolean;
  }[];
}

/** How long a car stood at its box. */
export interface PitLaneStopsPayload {
  feed: 'pit-lane.stops';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** New and corrected stops. */
    stops: readonly {
      /** Number of the stop in the session, from 1. A correction repeats the number. */
      stop: number;
      /** When the stop was measured: ISO 8601 in UTC. */
      utc: string | null;
      /** A lap or sector time. */
      stationaryTime: {
        /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
        display: string;
        /** Milliseconds; null if `display` is not a time. */
        ms: number | null;
      } | null;
      /** A lap or sector time. */
      pitLaneTime: {
        /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
        display: string;
        /** Milliseconds; null if `display` is not a time. */
        ms: number | null;
      } | null;
      /** The driver's lap. */
      lap: number | null;
    }[];
  }[];
}

/** How much time the session has left. */
export interface SessionClockPayload {
  feed: 'session.clock';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** The time for which `remaining` holds: ISO 8601 in UTC. */
    utc: string | null;
    /** Time left at `utc`. */
    remaining: {
      /** Hours, minutes, seconds: "01:17:59". */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    } | null;
    /** Whether the clock runs. */
    running: boolean | null;
  };
}

/** When laps and parts of qualifying started, and when a status changed. */
export interface SessionDataPayload {
  feed: 'session.data';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** New and corrected laps or parts of qualifying. */
    series: readonly {
      /** Number of the entry in its list, from 0. A correction repeats the number. */
      index: number;
      /** When it happened: ISO 8601 in UTC. */
      utc: string | null;
      /** The lap that the leader started. */
      lap?: number;
      /** The part of qualifying that is next or under way; 0 before the first. */
      qualifyingPart?: number;
    }[];
    /** New and corrected status changes. */
    statusSeries: readonly {
      /** Number of the entry in its list, from 0. A correction repeats the number. */
      index: number;
      /** When it happened: ISO 8601 in UTC. */
      utc: string | null;
      /** clear, yellow, safety_car, red, virtual_safety_car, virtual_safety_car_ending; unknown for any other text. */
      trackStatus?: string;
      /** inactive, started, aborted, finished, finalised or ends. */
      sessionStatus?: string;
    }[];
  };
}

/** A sign of life from the timing source, about every 15 seconds. */
export interface HeartbeatPayload {
  feed: 'heartbeat';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** The timing source's clock: ISO 8601 in UTC, with milliseconds. */
    utc: string;
  };
}

/** Recordings of the radio between drivers and teams. */
export interface TeamRadioPayload {
  feed: 'team.radio';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** New and corrected recordings. */
    captures: readonly {
      /** Number of the recording in the session, from 0. A correction repeats the number. */
      index: number;
      /** When it was published: ISO 8601 in UTC. */
      utc: string | null;
      /** Audio file, relative to `archivePath` of session.info: "TeamRadio/MAXVER01_1_20251025_155900.mp3". */
      path: string;
    }[];
  }[];
}

/** Speed, engine and pedals of the cars: at most one sample per second, with only the cars whose values changed. */
export interface CarTelemetryPayload {
  feed: 'car.telemetry';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** Time of the measurement: ISO 8601 in UTC, with milliseconds. */
  sampleUtc: string;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Engine speed, revolutions per minute. */
    rpm: number | null;
    /** Kilometres per hour. */
    speedKph: number | null;
    /** 0 is neutral. */
    gear: number | null;
    /** 0 to 100; null if there is no valid value. */
    throttlePercent: number | null;
    /** 0 or 100; null if there is no valid value. */
    brakePercent: number | null;
    /** The timing source's code: 0 or 1 closed; 8 eligible; 10, 12 or 14 open; others unknown. */
    drs: number | null;
    /** Whether the rear wing is open; null if the code in `drs` is unknown. */
    drsOpen: boolean | null;
  }[];
}

/** Where the cars are: at most one sample per second, with only the cars that moved. */
export interface CarPositionPayload {
  feed: 'car.position';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** Time of the measurement: ISO 8601 in UTC, with milliseconds. */
  sampleUtc: string;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** on_track or off_track. */
    status: string | null;
    /** Tenths of a metre in the circuit's own coordinates; x, y and z are all 0 if unknown. */
    x: number | null;
    /** Like `x`. */
    y: number | null;
    /** Height, like `x`. */
    z: number | null;
  }[];
}

/** The championship if the race ended in its current order. */
export interface ChampionshipPredictionPayload {
  feed: 'championship.prediction';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Championship position before the race. */
    currentPosition?: number | null;
    /** Championship position if the race ended now. */
    predictedPosition?: number | null;
    /** Championship points before the race. */
    currentPoints?: number | null;
    /** Championship points if the race ended now. */
    predictedPoints?: number | null;
  }[];
  teams: readonly {
    /** The team's entry name: "McLaren Mercedes". */
    entrant: string;
    /** Team name: "McLaren". */
    team: string | null;
    /** Slug of the team name: "mclaren". */
    constructorId: string | null;
    /** Championship position before the race. */
    currentPosition?: number | null;
    /** Championship position if the race ended now. */
    predictedPosition?: number | null;
    /** Championship points before the race. */
    currentPoints?: number | null;
    /** Championship points if the race ended now. */
    predictedPoints?: number | null;
  }[];
}

/** Status and lap of the heat. */
export interface KartingHeatPayload {
  feed: 'karting.heat';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  data: {
    /** Name of the heat. */
    name: string | null;
    /** waiting, running, stopped or finished. */
    status: string | null;
    /** The leader's current lap, from 1. */
    currentLap: number | null;
    /** Number of laps in the heat. */
    totalLaps: number | null;
  };
}

/** The drivers in the heat. */
export interface KartingEntriesPayload {
  feed: 'karting.entries';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Make of the kart. */
    chassis?: string | null;
  }[];
}

/** Laps and gaps of the karts. */
export interface KartingLapsPayload {
  feed: 'karting.laps';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Laps completed. */
    lapsCompleted?: number | null;
    /** A lap or sector time. */
    lastLap?: {
      /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    } | null;
    /** A lap or sector time. */
    bestLap?: {
      /** As on the timing screen: "1:45.149", or "26.111" for a sector. */
      display: string;
      /** Milliseconds; null if `display` is not a time. */
      ms: number | null;
    } | null;
    /** A gap to the leader or to the car ahead. */
    gapToLeader?: {
      /** As on the timing screen: "+1.234", "1L", or "LAP 27" for the leader. */
      display: string;
      /** Seconds; 0 for the leader; null if `display` counts laps or is not a gap. */
      seconds: number | null;
      /** Whole laps behind; present only if the gap is counted in laps. */
      lapsBehind?: number;
      /** The leader's current lap; present only for the leader. */
      leaderLap?: number;
    } | null;
  }[];
}

/** How the race may end, for every car still racing. Sent once per lap of the leader, when racing is neutralised or resumes, when a car is out, and at the end. Method: the remaining time of each car is normally distributed (gap, pace over the laps left, stops to come, a time for each car to pass); safety cars and retirements are mixed in. With an imported history, pace is drawn towards the driver's strength before the weekend, which fades with the laps left, and cars retire as their records say. Stops and passes cost what they do at the circuit. The distribution over positions is computed without random draws. Fitted to the laps of 2018 to 2021; what a safety car does is an assumption. Limits: penalties, damage, future weather and team orders are left out. Circuits without laps in those seasons are average ones. A car that stopped may return. Tire changes under a red flag are not predicted. Where the timing has no gaps, typical ones stand in. At the end the odds are the order on the road, which the stewards may still change. Measured: on the 22 Grands Prix of 2022, left out of the fit, the log-loss of the winner was 0.998, 0.741, 0.492 and 0.280 in the four quarters of the race, below that of a smoothed current order by 0.810, 0.755, 0.717 and 0.349. On five recorded races all places were forecast no better than by the smoothed order. */
export interface AnalyticsRaceOddsPayload {
  feed: 'analytics.race-odds';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Chance of a win. */
    winProbability: number;
    /** Chance of finishing in the top three. */
    podiumProbability: number;
    /** Chance of finishing in a points position. */
    pointsProbability: number;
    /** Mean of the final position, from 1. */
    expectedPosition: number;
    /** Mean of the points, by the table of the race or sprint, without the point for the fastest lap. */
    expectedPoints: number;
    /** Chance of retiring. */
    retirementProbability: number;
    /** Racing number of the teammate; null: none still racing. */
    teammateNumber: string | null;
    /** Chance of finishing ahead of the teammate; null: none still racing. */
    beatsTeammateProbability: number | null;
    /** Chance of each final position, from first to the number of cars still racing. They sum to 1. */
    positionProbabilities: readonly number[];
  }[];
  session: {
    /** Laps the leader still has to complete, including the current one. */
    lapsLeft: number;
  };
}

/** How many stops each car has left, and when the next one is due. Method: each lap has a chance of a stop: a logit of the compound and its age, the laps left, how old the tires would be at the end, stops done, the rules, what the other cars drive on, and the circuit; on the present lap also of the flag and of who stopped before. It is fitted to every lap of the Grands Prix of 2018 to 2021. In a full-length dry race a car that has used only one compound is certain to stop. Cars in the pits are left out. Limits: the model follows what teams do, not what would be best. Damage, rain and safety cars to come are not predicted. typicalStintLaps is a prior, a fraction of a full race, moved by the stints of this race. Measured: in 21 Grands Prix of 2022, left out of the fit, 49 % of the next stops came within p25 to p75, where 50 % is the target. The error of p50 was 5.8 laps, that of a table of past races 6.1. The log-loss of the number of further stops was 0.721, less than that of the table by 0.022 (standard error 0.045). */
export interface AnalyticsStrategyPayload {
  feed: 'analytics.strategy';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  /** Figures for all cars. */
  session: {
    /** Laps the leader still has to complete, including the current one. */
    lapsLeft: number;
    /** Stints of this race with a known full length. The others count as lower bounds. */
    stintsLearnedFrom: number;
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Pit visits so far, or tire changes if there were more. */
    stopsDone: number;
    /** Chance of no further stop. */
    noStopProbability: number;
    /** Chance of exactly one further stop. The three chances sum to 1. */
    oneStopProbability: number;
    /** Chance of two or more further stops. */
    moreStopsProbability: number;
    /** Lap of the next stop, given that there is one; null: a stop is unlikely. */
    nextStopLap: {
      /** Lap by the end of which the next stop has come with a chance of 25 %. */
      p25: number;
      /** The same with a chance of 50 %. */
      p50: number;
      /** The same with a chance of 75 %. */
      p75: number;
    } | null;
    /** Compounds used so far, in the order of first use. */
    compoundsUsed: readonly string[];
    /** Whether the rules still require another dry compound. */
    anotherCompoundRequired: boolean;
    /** Laps on the current tires. */
    tireAgeLaps: number;
    /** Typical tire age at the end of a stint on this compound. */
    typicalStintLaps: number;
    /** Standard deviation around typicalStintLaps. */
    typicalStintDeviationLaps: number;
    /** All stints so far, including the current one. */
    stints: readonly {
      /** Number of the stint, from 1. */
      stint: number;
      /** Compound as the timing source names it; null: not known. */
      compound: string | null;
      /** Whether the tires were new at the start of the stint. */
      isNew: boolean | null;
      /** Lap of the race on which the stint began, from 1. */
      fromLap: number;
      /** Laps on the tires at the end of the stint, or now in the current one. */
      tireAgeLaps: number;
    }[];
  }[];
}

/** What a stop now would cost, and what it would gain. Method: the loss of a stop is the median of this race's stops, each measured against cars that stayed out, drawn towards what stops at the circuit cost from 2018 to 2021; 81 % of that behind a safety car, 71 % behind a virtual one. The place where a car rejoins follows from the gaps, the window from the chances of a stop (see analytics.strategy), and an undercut from paces and wear. Limits: other cars that stop at the same time, penalties and slow stops are not predicted. Behind a safety car gaps close while a car stops, so positions are less accurate. The compound of the new tires is not known. Nothing is sent under a red flag. Undercuts are given only under green and before the last three laps. Measured: the window: as nextStopLap of analytics.strategy. The loss: in the Grands Prix of 2022, left out of the fit, the loss of 476 stops under green was off by 2.7 s; the usual loss by 3.5 s. Two laps after a stop at Baku 2018 the position was right within one place for 82 % of 11 stops under green and 61 % of 18 behind a safety car. A simple rule, losing a place to each car within 20 s behind, gave 91 % and 50 %. In the 2025 Miami sprint, on a drying track, it was 24 % of 17 stops; the simple rule gave 29 %. */
export interface AnalyticsPitWindowPayload {
  feed: 'analytics.pit-window';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  /** Figures for all cars. */
  session: {
    /** Track status. */
    status: 'green' | 'safety_car' | 'virtual_safety_car';
    /** Time lost by a stop now, against staying out. */
    pitLossSeconds: number;
    /** Standard deviation of the loss of the next stop. */
    pitLossUncertaintySeconds: number;
    /** Stops of this race under this status behind the estimate. */
    stopsMeasured: number;
    /** Time saved by a stop now, against one under green. */
    savedSeconds: number;
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** The situation after a stop now; null: the gap of this car, or of a car behind, is not known in seconds. */
    rejoin: {
      /** Expected position after the stop. */
      position: number;
      /** The best likely position: better in at most one case of ten. */
      position10: number;
      /** The worst likely position: worse in at most one case of ten. */
      position90: number;
      /** Racing number of the car then ahead; null: none. */
      aheadNumber: string | null;
      /** Gap to the car then ahead; null: none. */
      gapToAheadSeconds: number | null;
      /** Racing number of the car then behind; null: none. */
      behindNumber: string | null;
      /** Gap to the car then behind; null: none. */
      gapToBehindSeconds: number | null;
      /** Whether a car would be less than two seconds ahead on the road. */
      isInTraffic: boolean;
    } | null;
    /** When a stop is due; null: less likely than none, in the pits, or tires not known. */
    window: {
      /** Whether the current lap is before or in the window. overdue: three of four stops were foreseen earlier, when these tires were first seen. */
      state: 'not_yet' | 'open' | 'overdue';
      /** Lap by the end of which the next stop has come with a chance of 25 %, given that there is one. */
      fromLap: number;
      /** The same with a chance of 75 %. */
      toLap: number;
      /** Standard deviation of the lap of that stop. */
      uncertaintyLaps: number;
    } | null;
    /** Undercut of the car ahead by stopping a lap earlier; null: out of reach or not known. */
    undercut: {
      /** Racing number of the other car. */
      number: string;
      /** Gap between the two cars now. */
      gapSeconds: number;
      /** What the car behind gains by stopping a lap earlier. */
      gainSeconds: number;
      /** Standard deviation of gainSeconds. */
      uncertaintySeconds: number;
      /** Chance that the car behind is ahead after both have stopped. */
      probability: number;
    } | null;
    /** Undercut by the car behind; null: out of reach or not known. */
    threat: {
      /** Racing number of the other car. */
      number: string;
      /** Gap between the two cars now. */
      gapSeconds: number;
      /** What the car behind gains by stopping a lap earlier. */
      gainSeconds: number;
      /** Standard deviation of gainSeconds. */
      uncertaintySeconds: number;
      /** Chance that the car behind is ahead after both have stopped. */
      probability: number;
    } | null;
  }[];
}

/** How fast each car is with the effects of fuel, tires and traffic removed. Method: a ridge regression on the race's clean laps (under green, not the first lap, not a lap with a stop). Its terms are the car, the compound and its wear, the car ahead, and what all cars share on that lap. Fuel is subtracted first, at 0.036 s/kg with 105 kg per race. Each car's latest laps then weigh more, outliers less. nextLapsSeconds is that pace on the present tires and fuel, drawn to the mean of the latest three laps by a share that is fitted to the laps of 2018 to 2021. Limits: fuel loads are not published. Compounds can be separated only while cars run on different ones at the same time. A car that saves its tires looks slow. In changing weather paces are compared only on the same kind of tires. Measured: the truth of nextLapsSeconds is the mean of a car's next three laps, clean and on the same tires. In the 22 Grands Prix of 2022, left out of the fit, it was off by 0.419 s, the mean of the latest three laps by 0.437 s; in sprints it was not shown to be better. The parts of a lap have no truth to compare with. */
export interface AnalyticsTruePacePayload {
  feed: 'analytics.true-pace';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  /** Figures for all cars. */
  session: {
    /** Compound of most recent clean laps; null: not known. */
    referenceCompound: string | null;
    /** Standard deviation of single clean laps around a car’s pace. */
    lapDeviationSeconds: number;
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** A lap now with an empty tank, new tires of the reference compound and a clear road. */
    truePaceSeconds: number;
    /** Expected mean of the next three laps, on the present tires and fuel, under green; null: the latest three laps were not all clean. */
    nextLapsSeconds: number | null;
    /** Seconds slower than the fastest car. */
    offsetSeconds: number;
    /** Standard deviation of the estimate, relative to the field. */
    uncertaintySeconds: number;
    /** Rank by true pace; 1 is the fastest. */
    rank: number;
    /** Clean laps of this car behind the estimate. */
    laps: number;
    /** The latest clean lap with its corrections; null: no recent one. */
    latestLap: {
      /** Lap of the race, from 1. */
      lap: number;
      /** Lap time as measured. */
      lapSeconds: number;
      /** Seconds lost to the fuel on board, against an empty tank. */
      fuelSeconds: number;
      /** Seconds lost to the tires, against new ones of the reference compound. */
      tireSeconds: number;
      /** Seconds lost behind the car ahead; negative: its tow gained more. */
      trafficSeconds: number;
    } | null;
  }[];
}

/** How worn each car's tires are, measured by the lap time lost to wear. Method: the wear of each compound is fitted on the clean laps of all cars, together with fuel, traffic and what all cars share on a lap (see analytics.true-pace); all cars on a compound get the same wear. Health is 100 where wear costs nothing, and 0 where a lap takes `wornSeconds` longer than on new tires. Limits: on a drying track, or with drivers saving tires, wear may come out as zero or negative. Until cars on tires of different ages have run together, wear is mostly the prior (0.05 s per lap), and its uncertainty is large. Laps in the pits or behind a safety car age tires like any other lap. Measured: the truth is how much slower three clean laps are than three clean laps five laps earlier, corrected for the fuel burnt in between. In the 22 Grands Prix of 2022 the wear over five laps was off by 0.571 s, a flat 0.05 s a lap for every tire by 0.589 s: a difference of less than two standard errors. In 61 % of these forecasts the 80 % interval held the median wear of the compound in the race. */
export interface AnalyticsTireHealthPayload {
  feed: 'analytics.tire-health';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  /** Figures for all cars. */
  session: {
    /** Seconds per lap lost to wear at which healthPercent is 0. */
    wornSeconds: number;
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Compound as the timing source names it, such as "SOFT". */
    compound: string;
    /** Whether the tires were new at the start of the stint. */
    startedNew: boolean | null;
    /** Laps on the tires. */
    ageLaps: number;
    /** Seconds by which the lap time grows with each lap on the tires. */
    degradationSecondsPerLap: number;
    /** Standard deviation of degradationSecondsPerLap. */
    degradationUncertaintySecondsPerLap: number;
    /** Seconds a lap now takes longer than on new tires of the compound. */
    lostToWearSeconds: number;
    /** Standard deviation of lostToWearSeconds. */
    lostToWearUncertaintySeconds: number;
    /** 100: wear costs nothing; 0: wear costs `wornSeconds` per lap or more. */
    healthPercent: number;
    /** Laps until healthPercent is 0; null: not before the end of the race, or hardly any wear. */
    lapsUntilWorn: number | null;
    /** Whether the latest three clean laps were all much slower than stint and wear explain. */
    cliff: boolean;
    /** Recent clean laps of this stint. */
    stintLaps: number;
    /** Clean laps of all cars on the compound behind the estimate. */
    compoundLaps: number;
  }[];
}

/** Cars within two seconds of the car ahead. Sent once per lap of the leader while there are any, and once more, empty, when the last battle ends. Method: the chance of a pass is a logit of the gap, of how it changed over up to four laps behind the same car and on the latest, of the latest lap times of a car that has just arrived, of tire age and compound, of how far the race is, rain tires, and the circuit. It is fitted to the Grands Prix of 2018 to 2021. The bounds are an 80 % interval for what the circuit and the closing speed may change. The closing speed itself is the change of the gap; with few laps it is pulled towards the difference in pace. Gaps behind a safety car and around stops do not count. Limits: circuits are known by the name of their event, as far as races of 2018 to 2021 were there; slipstream and driver skill are not modelled; blue flags and team orders are not known. In the rain chances are those of an average wet race. Passing is not allowed behind a safety car, so there are no battles then. Measured: on 22 Grands Prix of 2022, left out: Brier score of passes within three laps 0.108, against 0.131 by a logit of the gap alone: -0.023 (0.003). In the sprints of 2022, 2023 and 2024 the difference was -0.007 (0.006), -0.004 (0.010) and -0.010 (0.002): not shown to be better in each. */
export interface AnalyticsBattlePayload {
  feed: 'analytics.battle';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
  }[];
  session: {
    /** Sorted by position; empty when the last battle has ended. */
    battles: readonly {
      /** Racing number of the car ahead. */
      ahead: string;
      /** Racing number of the car behind. */
      behind: string;
      /** Position they fight for. */
      position: number;
      /** Gap between the two cars, in seconds. */
      gapSeconds: number;
      /** Whether the gap is at most one second, the DRS limit. */
      withinOneSecond: boolean;
      /** Seconds by which the gap shrinks per lap; negative: it grows. */
      closingSecondsPerLap: number;
      /** Standard deviation of closingSecondsPerLap. */
      closingDeviationSecondsPerLap: number;
      /** Laps over which the gap to this car was tracked, at most five. */
      lapsTogether: number;
      /** Tire age of the car behind minus that of the car ahead, in laps; null: not known. */
      tireAgeDifferenceLaps: number | null;
      /** Tire compound of the car ahead, such as "SOFT"; null: not known. */
      compoundAhead: string | null;
      /** Tire compound of the car behind; null: not known. */
      compoundBehind: string | null;
      /** Chance of a pass within one lap. */
      passWithinOneLap: {
        /** Chance of a pass. */
        probability: number;
        /** Lower bound of that chance (80 % interval). */
        lower: number;
        /** Upper bound of that chance (80 % interval). */
        upper: number;
      };
      /** Chance of a pass within three laps, or by the end of the race if that is sooner. */
      passWithinThreeLaps: {
        /** Chance of a pass. */
        probability: number;
        /** Lower bound of that chance (80 % interval). */
        lower: number;
        /** Upper bound of that chance (80 % interval). */
        upper: number;
      };
      /** Chance of a pass within five laps, or by the end of the race if that is sooner. */
      passWithinFiveLaps: {
        /** Chance of a pass. */
        probability: number;
        /** Lower bound of that chance (80 % interval). */
        lower: number;
        /** Upper bound of that chance (80 % interval). */
        upper: number;
      };
    }[];
  };
}

/** Future gaps, assuming that no car stops. Method: each gap changes by the difference of the two cars' paces (see analytics.true-pace, but on their present tires) and of their wear. It is normally distributed: the uncertainty of the paces grows with the number of laps, the scatter of laps with its square root. Below half a second the car ahead holds up its follower. After a start or restart the field spreads out. Sent under green only, once there are clean laps. The widths of the intervals were fitted to one race (Baku 2018). Limits: stops, safety cars, rain and mistakes are not predicted. Gaps of more than a lap are not reported in seconds, so lapped cars have no projection to the leader. Gaps to a car in the pits are not projected either. Measured: at Baku 2018, where the widths were fitted, 79 % of the gaps five laps later were within p10 to p90, both to the leader (257 forecasts) and to the car ahead (280). The mean error of the median was 3.5 s and 2.8 s, against 9.0 s and 3.1 s for an unchanged gap. In the 2025 Miami sprint, three laps later, it was 86 % (85) and 96 % (80), with errors of 2.2 s and 0.8 s, against 5.4 s and 0.9 s. */
export interface AnalyticsGapProjectionPayload {
  feed: 'analytics.gap-projection';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Racing number of the car ahead; null: none, or no known gap to it. */
    aheadNumber: string | null;
    /** Clean laps behind the estimate of the pace of this car. */
    paceLaps: number;
    /** Gaps in 1, 3, 5 and 10 laps, or at the end of the race. */
    projections: readonly {
      /** Laps from now: 1, 3, 5 or 10, or the laps left if fewer. */
      inLaps: number;
      /** Gap to the present leader; null: this car leads, is lapped, or has no known gap. */
      gapToLeader: {
        /** 10 % quantile, in seconds. */
        p10Seconds: number;
        /** Median, in seconds. Negative: the car is then in front of the other. */
        p50Seconds: number;
        /** 90 % quantile, in seconds. */
        p90Seconds: number;
      } | null;
      /** Gap to the car now ahead; null: not known, or one of the two is in the pits. */
      gapToAhead: {
        /** 10 % quantile, in seconds. */
        p10Seconds: number;
        /** Median, in seconds. Negative: the car is then in front of the other. */
        p50Seconds: number;
        /** 90 % quantile, in seconds. */
        p90Seconds: number;
      } | null;
    }[];
    /** When it catches the car ahead if neither stops; null: no car ahead, or no known gap. */
    catchAhead: {
      /** Chance to be within a second on some lap before the end (a lower bound). */
      probability: number;
      /** Expected lap of the catch; null: none expected. */
      lap: number | null;
    } | null;
  }[];
}

/** How likely a safety car is. Sent once per lap of the leader, when racing is neutralised or resumes, and when a car is out. Method: a constant rate per lap, higher on the first lap, from the real safety cars of 2014 to 2019 as published with TU Munich's race simulation (86 in 121 races). The rate falls as cars drop out. It rises while a yellow flag is out, after a car has stopped, and after the weather has changed; the size of that rise is an assumption. The bounds are an 80 % interval of the rate given the counts. They do not cover the uncertainty of the assumptions. The source does not count virtual safety cars: all chances are those of a real one. Limits: circuits and weather forecasts are ignored; a sprint counts as a third of a race. Measured: on 22 Grands Prix of 2022, left out: log-loss of a safety car within one lap 0.070, against 0.092 by a constant chance: -0.021 (0.006). Within five laps the difference was -0.003 (0.007), not shown to be better: 4.3 % were told and 6.6 % happened. */
export interface AnalyticsSafetyCarPayload {
  feed: 'analytics.safety-car';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  data: {
    /** The safety car that is out now. */
    deployed: 'none' | 'real' | 'virtual';
    /** Deployments so far, including virtual ones. */
    deployments: number;
    /** Chance of a deployment within the leader's next lap. */
    nextLap: {
      /** Chance of at least one new deployment. */
      probability: number;
      /** Lower bound of that chance (80 % interval). */
      lower: number;
      /** Upper bound of that chance (80 % interval). */
      upper: number;
    };
    /** Chance of a deployment within the leader's next five laps. */
    nextFiveLaps: {
      /** Chance of at least one new deployment. */
      probability: number;
      /** Lower bound of that chance (80 % interval). */
      lower: number;
      /** Upper bound of that chance (80 % interval). */
      upper: number;
    };
    /** Chance of a deployment by the end of the race. */
    untilEnd: {
      /** Chance of at least one new deployment. */
      probability: number;
      /** Lower bound of that chance (80 % interval). */
      lower: number;
      /** Upper bound of that chance (80 % interval). */
      upper: number;
    };
    /** Expected number of the leader's remaining laps behind a real safety car. */
    expectedLaps: number;
    /** Whether a yellow flag raises the chance. */
    yellowFlag: boolean;
    /** Whether a car that has just stopped or retired raises the chance. */
    standingCar: boolean;
    /** Whether rain that has just started or stopped raises the chance. */
    rainChanged: boolean;
  };
}

/** How the current part of qualifying may end, and the grid, for the drivers still in it. Sent when a driver improves or ends a first or second sector, a part starts or ends, or all laps of a part are over; at most every five seconds. Method: each driver keeps his best time unless another lap is faster. Another lap is his best, in this part or an earlier one, less the track's gain, with a scatter. While laps are to come, a share of the odds is the same for all. Both come from the f1db sessions of 2014 to 2021; while a part runs gain and scatter are larger, as chosen on six recordings. A lap whose first or second sector is known should go on like the best laps of the field; its scatter and how many are ended come from the recordings. The positions are computed exactly, without random draws. Limits: the chances of completing another lap are assumptions. Fuel, tires, traffic, rain and laps that will be deleted are not known. In the first part a driver without a time counts as average. The grid projects every driver through the later parts in the same way, even those likely to be eliminated, so it is rough until the last part. Penalties are not known. Measured: as the second part of 94 sessions of 2022 to 2026 starts, the log-loss of elimination was 0.056 below that of how often drivers within and outside the cut-off go out (standard error 0.009). Of 597 drivers who were told 5 to 25 %, 13 % on average, 10 % went out. Within ten parts of six recordings, 2.1 % of 95 who were told less than 5 % went out. While last laps end, sectors make the log-loss 0.058 lower (standard error 0.012). */
export interface AnalyticsQualifyingPayload {
  feed: 'analytics.qualifying';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Best time in this part, in milliseconds; null: none yet. */
    bestTimeMs: number | null;
    /** Chance of missing the next part; null in the last part. */
    eliminationProbability: number | null;
    /** Mean of the position at the end of this part, from 1. */
    expectedPartPosition: number;
    /** Mean of the grid position, before penalties. */
    expectedGridPosition: number;
    /** Chance of one of the first two grid positions. */
    frontRowProbability: number;
    /** Chance of pole position. */
    poleProbability: number;
  }[];
  session: {
    /** Part of qualifying, from 1. */
    part: number;
    /** Seconds on the clock; null: no clock, or it does not show this part yet. */
    timeLeftSeconds: number | null;
    /** The last position that advances; null in the last part. */
    cutOffPosition: number | null;
    /** Projected slowest time that advances; null in the last part, and while too few are likely to set a time. */
    cutOffTime: {
      /** 10 % quantile, in milliseconds. */
      lowMs: number;
      /** Median, in milliseconds. */
      medianMs: number;
      /** 90 % quantile, in milliseconds. */
      highMs: number;
    } | null;
  };
}

/** What the race may mean for the championship. Sent after each analytics.race-odds. Method: the points of each final position, weighted with its chance (analytics.race-odds). The gain of a team is that of analytics.team-points. Totals and positions start from the points before the race, if the timing source has them (its championship prediction); otherwise they are null. Limits: those of analytics.race-odds. The point for the fastest lap (2019 to 2024) and reduced points after a shortened race are left out. The expected position is the rank among the expected totals; ties are in the order of names. Measured: see analytics.race-odds, from which it is computed. */
export interface AnalyticsChampionshipPayload {
  feed: 'analytics.championship';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Mean of the points from this race. */
    pointsGainedExpected: number;
    /** 10 % quantile of the points from this race. */
    pointsGainedLow: number;
    /** Median of the points from this race. */
    pointsGainedMedian: number;
    /** 90 % quantile of the points from this race. */
    pointsGainedHigh: number;
    /** Championship points before the race; null: not known. */
    pointsBefore: number | null;
    /** Mean of the championship points after the race; null: points before it not known. */
    pointsAfterExpected: number | null;
    /** Championship position before the race; null: not known. */
    championshipPositionBefore: number | null;
    /** Championship position by the expected points after the race; null: not known. */
    championshipPositionExpected: number | null;
  }[];
  teams: readonly {
    /** Team name, such as "McLaren". */
    team: string;
    /** Slug of the team name, such as "mclaren". */
    constructorId: string;
    /** Mean of the points from this race. */
    pointsGainedExpected: number;
    /** 10 % quantile of the points from this race. */
    pointsGainedLow: number;
    /** Median of the points from this race. */
    pointsGainedMedian: number;
    /** 90 % quantile of the points from this race. */
    pointsGainedHigh: number;
    /** Championship points before the race; null: not known. */
    pointsBefore: number | null;
    /** Mean of the championship points after the race; null: points before it not known. */
    pointsAfterExpected: number | null;
    /** Championship position before the race; null: not known. */
    championshipPositionBefore: number | null;
    /** Championship position by the expected points after the race; null: not known. */
    championshipPositionExpected: number | null;
  }[];
}

/** By how much the race may be won, and by how much each driver who has a chance of 1 % and more may win it. Sent after each analytics.race-odds. Method: the times behind analytics.race-odds give the gap between winner and second car exactly, without random draws. The more of the race is to come, the more counts what margins followed such a gap between the first two cars. Fitted to the Grands Prix of 2018 to 2021. Limits: those of analytics.race-odds. Penalties are not foreseen. Rain is not known. Nothing is sent while the gap of the second car is not reported. Measured: on the 22 Grands Prix of 2022, left out of the fit, the RPS of the margin was 0.128, less than that of a line of the gap now by 0.005 (standard error 0.004): not shown to be better. In the last quarter it was less by 0.014 (0.011), in the first more by 0.004 (0.004). */
export interface AnalyticsWinningMarginPayload {
  feed: 'analytics.winning-margin';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  /** Figures for the race. */
  session: {
    /** Laps the leader still has to complete, including the current one. */
    lapsLeft: number;
    /** Gap between the first two cars now. */
    gapSeconds: number;
    /** Time from the winner to the second car at the end of the race. */
    margin: {
      /** 10 % quantile of the margin. */
      p10Seconds: number;
      /** 25 % quantile. */
      p25Seconds: number;
      /** Median. */
      p50Seconds: number;
      /** 75 % quantile. */
      p75Seconds: number;
      /** 90 % quantile. */
      p90Seconds: number;
    };
    /** Chances of margins, smallest first. */
    within: readonly {
      /** A margin. */
      seconds: number;
      /** Chance that the margin is at most that. */
      probability: number;
    }[];
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Chance of a win, as in analytics.race-odds. */
    winProbability: number;
    marginIfWins: {
      /** 10 % quantile of the margin, if this driver wins. */
      p10Seconds: number;
      /** Median of the same. */
      p50Seconds: number;
      /** 90 % quantile of the same. */
      p90Seconds: number;
    };
  }[];
}

/** The points that each team with a car still racing may score. Sent after each analytics.race-odds. Method: the final positions of both cars as analytics.race-odds has them, taken together: two cars never have the same position. Otherwise they are independent. Positions give points by the table of the race or sprint. Limits: those of analytics.race-odds; team orders above all. The point for the fastest lap (2019 to 2024) and reduced points after a shortened race are left out. Measured: on the 22 Grands Prix of 2022, left out of the fit, the RPS of the points of a team was 0.0432, less than that of a smoothed current order by 0.0181 (standard error 0.0022). Taking the cars together gained 0.0001 (0.0001). */
export interface AnalyticsTeamPointsPayload {
  feed: 'analytics.team-points';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  /** Figures for the race. */
  session: {
    /** Laps the leader still has to complete, including the current one. */
    lapsLeft: number;
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Mean of the points from this race. */
    pointsExpected: number;
    /** Chance of any points. */
    pointsProbability: number;
  }[];
  /** Teams, the one with the most expected points first. */
  teams: readonly {
    /** Team name, such as "McLaren". */
    team: string;
    /** Slug of the team name, such as "mclaren". */
    constructorId: string;
    /** Racing numbers of its cars still racing. */
    driverNumbers: readonly string[];
    /** Mean of the points from this race. */
    pointsExpected: number;
    /** 10 % quantile of the points. */
    pointsLow: number;
    /** Median of the points. */
    pointsMedian: number;
    /** 90 % quantile of the points. */
    pointsHigh: number;
    /** Chance of any points. */
    pointsProbability: number;
    /** Chance that both cars score. */
    bothInPointsProbability: number;
    /** Chance that both cars are among the first three. */
    bothOnPodiumProbability: number;
    /** Chance of first and second place. */
    oneTwoProbability: number;
  }[];
}

/** How soon each car may stop, and on which tires it may go on. Method: the chances of a stop are those behind analytics.strategy. The next tires: a logit of changing between dry and rain tires by what the other cars drive on, and among dry ones a logit of the laps left after the stop, the present tires, whether the rules require others, and what other cars took in this race. Fitted to the Grands Prix of 2018 to 2021. Limits: the sets that a car has left are not known, nor what its team plans. Rain is not predicted. Cars in the pits are left out. Measured: in 21 Grands Prix of 2022, left out of the fit: of a stop within five laps (told 11.5 %, happened 16.8 %) the Brier score was 0.119, less than that of a table of past races by 0.013 (standard error 0.006). Of the next tires the log-loss was 0.932, more than that of such a table by 0.048 (0.035). */
export interface AnalyticsTireStrategyPayload {
  feed: 'analytics.tire-strategy';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  /** Figures for the race. */
  session: {
    /** Laps the leader still has to complete, including the current one. */
    lapsLeft: number;
  };
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Compound of the current tires as the timing source names it. */
    compound: string;
    /** Laps on the current tires. */
    tireAgeLaps: number;
    /** Chance of a further stop. */
    stopProbability: number;
    /** Chances of a stop soon: within 1, 3, 5 and 10 laps, if so many are left. */
    stopWithin: readonly {
      /** Number of laps, the current one included. */
      laps: number;
      /** Chance that the car comes in by the end of them. */
      probability: number;
    }[];
    /** The tires that may come next, the likeliest first; of 1 % and more. */
    nextTires: readonly {
      /** Compound as the timing source names it; null: one that nobody has used yet, in a race with the names of 2018. */
      compound: string | null;
      /** Chance that the next tires are of this compound, given that there is a stop. */
      probability: number;
      /** Lap by the end of which half of the stops for this compound have come. */
      p50Lap: number;
    }[];
  }[];
}

/** How fast each car is in each sector, and where it loses time. Method: the median of the latest three clean laps on the present tires (under green, not the first lap, not a lap with a stop), of the latest six. Sectors count if they add up to the lap. Limits: nothing is corrected for fuel, tires and traffic; analytics.true-pace does that for whole laps. Cars without such a lap are left out. It is silent as long as a car in the race is on rain tires: in changing weather the latest laps are no guide to the next. Measured: the truth is the mean of the next three laps in the sector. In Baku 2018 the pace was off by 0.293 s, the latest lap by 0.305 s; in the São Paulo sprint of 2025 by 0.232 s and 0.257 s. Two races are too few to show that it is better. In the drying Miami sprint of 2025, where it is silent, it would have been off by 3.521 s, the latest lap by 2.415 s. */
export interface AnalyticsSectorPacePayload {
  feed: 'analytics.sector-pace';
  /** Id of the series: "f1". */
  seriesId: string;
  /** Id of the session: "2018-azerbaijan-race". */
  sessionId: string;
  /** Number of this update in the session. Starts at 1 and has no gaps. */
  sequence: number;
  /** When the timing source sent it: ISO 8601 in UTC, with milliseconds. */
  utc: string;
  /** The leader's current lap; absent if laps are not counted. */
  lap?: number;
  /** This is no update but the feed's state so far: `sequence` and `utc` are those of the last update in it. Only for endpoints with the option `snapshot`. */
  snapshot?: true;
  /** How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing was chosen on. beta: not shown to be. */
  maturity: 'stable' | 'beta';
  drivers: readonly {
    /** Slug of the name: "max-verstappen". Null until drivers are listed. */
    driverId: string | null;
    /** Racing number. */
    number: string;
    /** Three-letter code: "VER". */
    tla: string | null;
    /** First and last name. */
    name: string | null;
    /** Team name in this session. */
    team: string | null;
    /** Slug of the team name: "red-bull-racing". */
    constructorId: string | null;
    /** Current position, from 1. */
    position: number | null;
    /** Clean laps behind the pace, at most three. */
    laps: number;
    /** The three sectors, in order. */
    sectors: readonly {
      /** Number of the sector. */
      sector: number;
      /** Median time of the sector, in seconds: what the next laps should take. */
      paceSeconds: number;
      /** Seconds slower than the car that is fastest in this sector. */
      gapToBestSeconds: number;
      /** Rank in this sector; 1 is the fastest. */
      rank: number;
    }[];
  }[];
}

/** The body of a delivery. `feed` says which payload it is. */
export type WebhookPayload =
  | SessionInfoPayload
  | SessionStatusPayload
  | TrackStatusPayload
  | RaceControlMessagesPayload
  | LapCountPayload
  | WeatherDataPayload
  | TimingDataPayload
  | TimingAppDataPayload
  | TimingDriverInfoPayload
  | TireStintsPayload
  | EventsRacePayload
  | TimingStatsPayload
  | TimingTopThreePayload
  | TimingLapSeriesPayload
  | TimingRaceInfoPayload
  | TireCurrentPayload
  | PitLaneTimesPayload
  | PitLaneStopsPayload
  | SessionClockPayload
  | SessionDataPayload
  | HeartbeatPayload
  | TeamRadioPayload
  | CarTelemetryPayload
  | CarPositionPayload
  | ChampionshipPredictionPayload
  | KartingHeatPayload
  | KartingEntriesPayload
  | KartingLapsPayload
  | AnalyticsRaceOddsPayload
  | AnalyticsStrategyPayload
  | AnalyticsPitWindowPayload
  | AnalyticsTruePacePayload
  | AnalyticsTireHealthPayload
  | AnalyticsBattlePayload
  | AnalyticsGapProjectionPayload
  | AnalyticsSafetyCarPayload
  | AnalyticsQualifyingPayload
  | AnalyticsChampionshipPayload
  | AnalyticsWinningMarginPayload
  | AnalyticsTeamPointsPayload
  | AnalyticsTireStrategyPayload
  | AnalyticsSectorPacePayload;
