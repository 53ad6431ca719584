// Turning the changes of a frame into the content of its updates. The bench `derive` measures the whole path of a
// frame.

import { F1 } from '#engine/racing/series/f1.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';
import { demoRace, message } from './demo-race.ts';
import { kept, type Operation } from './operation.ts';

export function prepare(): readonly Operation[] {
  const { before, timing, timeline } = demoRace();
  const state = new SessionState(F1.facts);
  for (const frame of before) state.apply(frame.topic, message(frame));
  const rows = F1.feedRows().filter(({ topic }) => topic === F1.facts.timing.topic);
  // Frames that change nothing never get as far as a normaliser.
  const changes = timing.map((frame) => state.apply(frame.topic, message(frame))).filter((change) => change !== null);
  const lap = (): number => {
    let contents = 0;
    for (const one of changes) {
      for (const { normalise } of rows) {
        for (const content of normalise(one, state)) {
          kept.value = content;
          contents++;
        }
      }
    }
    return contents;
  };
  const from = timing[0]!.utcMs - timeline.info.startUtcMs;
  const feeds = new Set<string>(rows.map(({ feed }) => feed));
  let updates = 0;
  for (let position = 0; position < timeline.length; position++) {
    if (timeline.columns.dueMs[position]! >= from && feeds.has(timeline.feedId(position))) updates++;
  }
  return [{ name: 'normalise a frame', times: changes.length, answer: updates, lap }];
}
