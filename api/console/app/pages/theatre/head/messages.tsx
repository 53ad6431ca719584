// What race control said and what was notable, the newest first. Read by those who look for it: a live region would speak
// without end.

import { useMemo, useState } from 'preact/hooks';
import { Tabs } from '../../../parts/tabs.tsx';
import { text } from '../../../text/text.ts';
import { clockText } from '../format.ts';
import type { ShownStage } from '../show/show.ts';
import type { HeadFold, ShownMessage } from './head-fold.ts';
import type { Moment, TimeLineFold } from './time-line-fold.ts';

const { raceControl, moments: momentWords } = text.theatre;
/** A moment is shown from shortly before it. */
const LEAD_S = 5;

export interface MessagesProps {
  readonly stage: ShownStage;
  readonly head: HeadFold;
  readonly line: TimeLineFold;
  /** When the session began: times are shown from there. Null: not known, and none are shown. */
  readonly startMs: number | null;
  readonly onSeek: ((seconds: number) => void) | null;
}

export function Messages({ stage, head, line, startMs, onSeek }: MessagesProps) {
  const [tab, setTab] = useState<'control' | 'moments'>('control');
  stage.frame.value;
  const { messages } = head;
  const { moments } = line;
  const said = useMemo(() => <Said messages={messages} startMs={startMs} />, [messages, startMs]);
  const seen = useMemo(
    () => <Seen moments={moments} startMs={startMs} onSeek={onSeek} />,
    [moments, startMs, onSeek === null],
  );
  return (
    <section class="card show-messages">
      <Tabs
        label={raceControl.title}
        tabs={[
          { name: 'control', label: raceControl.title },
          { name: 'moments', label: momentWords.title },
        ]}
        chosen={tab}
        onChoose={setTab}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <div class="messages-list" tabIndex={0}>
          {tab === 'control' ? said : seen}
        </div>
      </Tabs>
    </section>
  );
}

interface SaidProps {
  readonly messages: readonly ShownMessage[];
  readonly startMs: number | null;
}

function Said({ messages, startMs }: SaidProps) {
  if (messages.length === 0) return <p class="soft">{raceControl.none}</p>;
  return (
    <ol>
      {messages.map(({ index, atMs, message, flag, lap }) => (
        <li key={index}>
          <span class={`flag-dot ${(flag ?? '').toLowerCase().replaceAll(' ', '-')}`} aria-hidden="true" />
          <span class="small soft">{momentText(atMs, startMs, lap)}</span>
          <span>{message}</span>
        </li>
      ))}
    </ol>
  );
}

interface SeenProps {
  readonly moments: readonly Moment[];
  readonly startMs: number | null;
  readonly onSeek: ((seconds: number) => void) | null;
}

function Seen({ moments, startMs, onSeek }: SeenProps) {
  if (moments.length === 0) return <p class="soft">{momentWords.none}</p>;
  return (
    <ol>
      {moments.toReversed().map(({ sequence, kind, atMs, lap, driver }) => {
        const what = driver === null ? momentWords.kinds[kind] : `${momentWords.kinds[kind]} ${driver}`;
        return (
          <li key={sequence}>
            <span class={`flag-dot ${kind}`} aria-hidden="true" />
            <span class="small soft">{momentText(atMs, startMs, lap)}</span>
            {onSeek === null || startMs === null ? (
              <span>{what}</span>
            ) : (
              <button
                type="button"
                class="link-button"
                aria-label={momentWords.go(what, clockText(atMs - startMs))}
                onClick={() => onSeek(Math.max(0, Math.floor((atMs - startMs) / 1000) - LEAD_S))}
              >
                {what}
              </button>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** The time since the beginning, and the lap; what is not known is left out. */
function momentText(atMs: number, startMs: number | null, lap: number | null): string {
  const parts = [startMs === null ? null : clockText(atMs - startMs), lap === null ? null : raceControl.lap(lap)];
  return parts.filter((part) => part !== null).join(' · ');
}
