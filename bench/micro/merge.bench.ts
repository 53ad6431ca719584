// Parsing a frame's message and merging it into the session state.

import type { Json } from '#engine/base/json-value.ts';
import { merge } from '#engine/racing/session/merge.ts';
import { demoRace, message } from './demo-race.ts';
import { kept, type Operation } from './operation.ts';

export function prepare(): readonly Operation[] {
  const { before, timing } = demoRace();
  const { topic } = timing[0]!;
  let state: Json | undefined;
  for (const frame of before) if (frame.topic === topic) state = merge(state, message(frame)).state;
  const messages = timing.map(message);
  const mergeAll = (): number => {
    let changed = 0;
    for (const one of messages) {
      const merged = merge(state, one);
      state = merged.state;
      kept.value = merged.change;
      if (merged.changed) changed++;
    }
    return changed;
  };
  // The first lap differs: all later ones start with the state that the one before left.
  mergeAll();
  return [
    {
      name: 'parse a frame',
      times: timing.length,
      answer: timing.length,
      lap: () => {
        let parsed = 0;
        for (const frame of timing) {
          kept.value = message(frame);
          if (kept.value !== null) parsed++;
        }
        return parsed;
      },
    },
    { name: 'merge a frame', times: messages.length, answer: mergeAll(), lap: mergeAll },
  ];
}
