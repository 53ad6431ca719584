// The panels of the theatre, in the order in which they are offered.

import { text } from '../../../text/text.ts';
import type { Panel } from '../show/fold.ts';
import { GapsByLap } from './gaps-by-lap.ts';
import { GAP_FRAME, lapChartView, POSITION_FRAME } from './lap-chart-view.tsx';
import { PositionsByLap } from './positions-by-lap.ts';
import { RaceEventLog } from './race-event-log.ts';
import { raceEventsView } from './race-events-view.tsx';
import { TrackMap } from './track-map.ts';
import { trackMapView } from './track-map-view.tsx';
import { TyreStrategies } from './tyre-strategies.ts';
import { tyreStrategiesView } from './tyre-strategies-view.tsx';
import { UpdateLog } from './update-log.ts';
import { updatesView } from './updates-view.tsx';
import { WinChances } from './win-chances.ts';
import { winChancesView } from './win-chances-view.tsx';

/** New ones for one theatre: each keeps what it has folded. */
export function makePanels(): readonly Panel[] {
  const positions = new PositionsByLap();
  const gaps = new GapsByLap();
  const map = new TrackMap();
  const chances = new WinChances();
  const tyres = new TyreStrategies();
  const events = new RaceEventLog();
  const updates = new UpdateLog();
  const { panels } = text;
  return [
    {
      name: 'positions',
      title: panels.positionsTitle,
      fold: positions,
      View: lapChartView(positions, POSITION_FRAME, {
        title: panels.positionsTitle,
        label: panels.positionsLabel,
        value: panels.position,
        characters: 3,
      }),
    },
    {
      name: 'gaps',
      title: panels.gapsTitle,
      fold: gaps,
      View: lapChartView(gaps, GAP_FRAME, {
        title: panels.gapsTitle,
        label: panels.gapsLabel,
        value: panels.gap,
        characters: 6,
      }),
    },
    { name: 'map', title: panels.mapTitle, fold: map, View: trackMapView(map) },
    { name: 'events', title: panels.eventsTitle, fold: events, View: raceEventsView(events) },
    { name: 'chances', title: panels.chancesTitle, fold: chances, View: winChancesView(chances) },
    { name: 'tyres', title: panels.tyresTitle, fold: tyres, View: tyreStrategiesView(tyres) },
    { name: 'updates', title: panels.updatesTitle, fold: updates, View: updatesView(updates) },
  ];
}
