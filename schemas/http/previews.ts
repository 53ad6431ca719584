// Previews of sessions that are still to come: what the models expect of them.

import Type from 'typebox';
import { data } from './page.ts';

/** A part whose content the model that makes it settles. */
const part = (description: string) => Type.Optional(Type.Unknown({ description }));

const Preview = Type.Object({
  sessionId: Type.String(),
  winProbability: part('How likely each driver is to win.'),
  qualifyingProbability: part('How likely each driver is to qualify first. Paid plans.'),
  expectedStrategy: part('The tire strategies to expect. Paid plans.'),
  circuitIntelligence: part('What is particular about the circuit. Paid plans.'),
  championshipForm: part('How drivers and teams have done lately. Paid plans.'),
});

export const PreviewAnswer = data(Preview);
export const PreviewList = data(Type.Object({ previews: Type.Array(Preview) }));
