// The head of the theatre: lap, clock, flag and weather.

import { text } from '../../../text/text.ts';
import { clockText } from '../format.ts';
import type { ShownStage } from '../show/show.ts';
import { type HeadFold, isOfSprint, remainingMs, type SessionHead } from './head-fold.ts';

const words = text.theatre.head;

export interface HeadProps {
  readonly stage: ShownStage;
  readonly fold: HeadFold;
  /** When the session began; null: not known. */
  readonly startMs: number | null;
}

export function Head({ stage, fold, startMs }: HeadProps) {
  stage.frame.value;
  const { head } = fold;
  const { lap, part, status, clock, weather } = head;
  const left = remainingMs(clock, stage.atMs);
  return (
    <div class="show-head">
      <Flag track={head.track} />
      <dl class="show-facts">
        {lap?.currentLap != null && <Fact name={words.lapName} value={words.lap(lap.currentLap, lap.totalLaps)} />}
        {part !== null && <Fact name={words.partName} value={words.part(part, isOfSprint(head.info))} />}
        {status !== null && <Fact name={words.status} value={words.statuses[status] ?? status} />}
        {startMs !== null && stage.atMs !== null && (
          <Fact name={words.elapsed} value={clockText(stage.atMs - startMs)} />
        )}
        {left !== null && <Fact name={words.remaining} value={clockText(left)} />}
        <Weather weather={weather} />
      </dl>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Read out when it changes, and nothing else of the page is. */
function Flag({ track }: { readonly track: string | null }) {
  const name = track === null ? '' : (words.flags[track] ?? words.flags.unknown!);
  return (
    <p class={`show-flag ${track ?? ''}`} role="status">
      {name}
    </p>
  );
}

function Weather({ weather }: { readonly weather: SessionHead['weather'] }) {
  if (weather === null) return null;
  const { airTempC, trackTempC, humidityPercent, windSpeedMps, rainfall } = weather;
  return (
    <>
      {airTempC !== null && <Fact name={words.air} value={words.celsius(airTempC)} />}
      {trackTempC !== null && <Fact name={words.track} value={words.celsius(trackTempC)} />}
      {humidityPercent !== null && <Fact name={words.humidity} value={words.percent(humidityPercent)} />}
      {windSpeedMps !== null && <Fact name={words.wind} value={words.metresPerSecond(windSpeedMps)} />}
      {rainfall !== null && <Fact name={words.weather} value={rainfall ? words.rain : words.dry} />}
    </>
  );
}
