// The controls of a replay: play and pause, a step back or forward, the speed.

import { useId } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { text } from '../../../text/text.ts';
import type { ReplayShow } from './replay-show.ts';
import type { ShowState } from './show.ts';
import { SPEEDS } from './speeds.ts';

const words = text.theatre.controls;

const STEP_S = 30;

export interface ControlsProps {
  readonly show: ReplayShow;
  /** The place of the show, in seconds since the beginning of the session. */
  readonly placeSeconds: () => number;
}

export function Controls({ show, placeSeconds }: ControlsProps) {
  const state = show.state.value;
  const speed = show.speed.value;
  const delivers = show.sinks === 'both';
  const reason = useId();
  const isOver = state.kind === 'ended';
  const isReady = show.run.value !== null && state.kind !== 'failed';
  const step = (seconds: number): void => void show.seek(Math.max(0, Math.floor(placeSeconds() + seconds)));
  return (
    <>
      <fieldset class="show-controls">
        <legend class="sr-only">{words.name}</legend>
        {isOver && !delivers && (
          <Button kind="primary" onClick={() => void show.seek(0)}>
            {words.again}
          </Button>
        )}
        {!isOver && (
          <Button
            kind="primary"
            disabled={!isReady || (state.kind !== 'playing' && state.kind !== 'paused')}
            onClick={() => void (state.kind === 'paused' ? show.resume() : show.pause())}
          >
            {state.kind === 'paused' ? words.resume : words.pause}
          </Button>
        )}
        <Button disabled={!isReady || delivers} label={words.back} onClick={() => step(-STEP_S)}>
          {words.backShort}
        </Button>
        <Button disabled={!isReady || isOver} label={words.forward} onClick={() => step(STEP_S)}>
          {words.forwardShort}
        </Button>
        <label class="row">
          <span class="sr-only">{words.speed}</span>
          <select
            class="input speed"
            value={speed}
            disabled={delivers}
            aria-describedby={delivers ? reason : undefined}
            onChange={(event) => void show.setSpeed(Number(event.currentTarget.value))}
          >
            {(SPEEDS as readonly number[]).includes(speed) ? null : <option value={speed}>{words.times(speed)}</option>}
            {SPEEDS.map((option) => (
              <option key={option} value={option}>
                {words.times(option)}
              </option>
            ))}
          </select>
        </label>
        {delivers && (
          <Button kind="danger" disabled={!isReady || isOver} onClick={() => void show.stop()}>
            {words.stop}
          </Button>
        )}
        <StateWord state={state} />
      </fieldset>
      {delivers && (
        <p class="hint controls-hint" id={reason}>
          {words.forwardOnly}
        </p>
      )}
    </>
  );
}

/** What the show does, for those who look and those who listen. */
export function StateWord({ state }: { readonly state: ShowState }) {
  const { state: words } = text.theatre;
  const word = state.kind === 'ended' ? words[state.how] : state.kind === 'failed' ? '' : words[state.kind];
  return (
    <span class="soft" role="status">
      {word}
    </span>
  );
}
