// The line of the session's time: its flags, what was notable, how far the show is; with a native slider over it, by which
// pointer and keyboard move the show.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { text } from '../../../text/text.ts';
import { clockText } from '../format.ts';
import type { ShownStage } from '../show/show.ts';
import type { Moment, Stretch, TimeLineFold } from './time-line-fold.ts';

const words = text.theatre.controls;
/** Keys that are pressed one after the other are one move. */
const SETTLE_MS = 350;
/** The line is drawn anew when the latest time has come so much further. */
const STEPS = 300;

export interface TimeLineProps {
  readonly stage: ShownStage;
  readonly fold: TimeLineFold;
  readonly startMs: number;
  readonly durationMs: number;
  /** Null: the show cannot be moved. */
  readonly onSeek: ((seconds: number) => void) | null;
}

export function TimeLine({ stage, fold, startMs, durationMs, onSeek }: TimeLineProps) {
  stage.frame.value;
  const [wish, seek] = useSettled(onSeek);
  const place = wish ?? Math.max(0, Math.round(((stage.atMs ?? startMs) - startMs) / 1000));
  const seconds = Math.round(durationMs / 1000);
  const share = Math.min(1, place / Math.max(1, seconds));
  // A flag that has changed is drawn with the next step.
  const step = Math.ceil(((fold.furthestMs - startMs) / durationMs) * STEPS);
  const { moments } = fold;
  const known = useMemo(
    () => <Known stretches={fold.stretches} moments={moments} startMs={startMs} durationMs={durationMs} />,
    [step, moments, startMs, durationMs],
  );
  return (
    <div class="time-line">
      <div class="time-line-track" aria-hidden="true">
        {known}
        <div class="time-line-ahead" style={{ transform: `scaleX(${1 - share})` }} />
        <div class="time-line-now" style={{ transform: `translateX(${share * 100}%)` }} />
      </div>
      {onSeek !== null && (
        <input
          type="range"
          min={0}
          max={seconds}
          step={1}
          value={Math.min(place, seconds)}
          aria-label={words.seek}
          aria-valuetext={words.at(clockText(place * 1000), clockText(durationMs))}
          onInput={(event) => seek(Number(event.currentTarget.value))}
        />
      )}
      <div class="time-line-times small soft" aria-hidden="true">
        <span>{clockText(place * 1000)}</span>
        <span>{clockText(durationMs)}</span>
      </div>
    </div>
  );
}

/** A wish is shown at once, and carried out when no other one follows. */
function useSettled(onSeek: ((seconds: number) => void) | null): [number | null, (seconds: number) => void] {
  const [wish, setWish] = useState<number | null>(null);
  const latest = useRef(onSeek);
  latest.current = onSeek;
  useEffect(() => {
    if (wish === null) return;
    const timer = setTimeout(() => {
      latest.current?.(wish);
      setWish(null);
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [wish]);
  return [wish, setWish];
}

interface KnownProps {
  readonly stretches: readonly Stretch[];
  readonly moments: readonly Moment[];
  readonly startMs: number;
  readonly durationMs: number;
}

function Known({ stretches, moments, startMs, durationMs }: KnownProps) {
  const percent = (ms: number): number => Math.min(100, Math.max(0, ((ms - startMs) / durationMs) * 100));
  return (
    <>
      {stretches.map(({ status, fromMs, toMs }) => (
        <i
          key={`${fromMs} ${status}`}
          class={`stretch ${status}`}
          style={{ left: `${percent(fromMs)}%`, width: `${percent(toMs) - percent(fromMs)}%` }}
        />
      ))}
      {moments.map(({ sequence, kind, atMs }) => (
        <i key={sequence} class={`moment ${kind}`} style={{ left: `${percent(atMs)}%` }} />
      ))}
    </>
  );
}
