// All rules for race events of Formula One. The events of one frame come in the order of the rules below.

import { BattleEvents } from './battle-events.ts';
import { ChampionshipEvents } from './championship-events.ts';
import { LapTimeEvents } from './lap-time-events.ts';
import { LeadEvents } from './lead-events.ts';
import { MilestoneEvents } from './milestone-events.ts';
import { OrderEvents } from './order-events.ts';
import { PitEvents } from './pit-events.ts';
import { RaceControlEvents } from './race-control-events.ts';
import type { RaceEventRule } from './race-event-rule.ts';
import { RainEvents } from './rain-events.ts';
import { RetirementEvents } from './retirement-events.ts';
import { SegmentEvents } from './segment-events.ts';
import { SessionEvents } from './session-events.ts';
import { StoppedEvents } from './stopped-events.ts';
import { TeamRadioEvents } from './team-radio-events.ts';
import { TireEvents } from './tire-events.ts';
import { TrackEvents } from './track-events.ts';

/** Creates the rules for one session. Rules keep state, so each session needs its own. */
export function raceEventRules(): readonly RaceEventRule[] {
  return [
    new SessionEvents(),
    new SegmentEvents(),
    new TrackEvents(),
    new RaceControlEvents(),
    new MilestoneEvents(),
    new PitEvents(),
    new TireEvents(),
    new OrderEvents(),
    new LeadEvents(),
    new BattleEvents(),
    new LapTimeEvents(),
    new StoppedEvents(),
    new RetirementEvents(),
    new RainEvents(),
    new TeamRadioEvents(),
    new ChampionshipEvents(),
  ];
}
