// What an attempt reads from the timeline: a view of the body's bytes.

import { demoRace } from './demo-race.ts';
import { kept, type Operation } from './operation.ts';

export function prepare(): readonly Operation[] {
  const { timeline } = demoRace();
  const { length, columns } = timeline;
  const lap = (): number => {
    let bytes = 0;
    for (let position = 0; position < length; position++) {
      const body = timeline.body(position);
      kept.value = body;
      bytes += body.length;
    }
    return bytes;
  };
  return [{ name: 'the view of a body', times: length, answer: columns.bodies.length, lap }];
}
