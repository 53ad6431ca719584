// The time until something, counted down every second.

import { useEffect, useState } from 'preact/hooks';
import { text } from '../text/text.ts';
import { countdown, countdownText } from './time-left.ts';

export interface CountdownProps {
  /** ISO 8601. */
  readonly at: string;
  /** Puts the time that is left into a sentence. */
  readonly say: (left: string) => string;
}

export function Countdown({ at, say }: CountdownProps) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const left = countdownText(countdown(Date.parse(at) - nowMs), (unit, count) => text.home[unit](count));
  return <span role="timer">{say(left)}</span>;
}
