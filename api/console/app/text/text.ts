// Every text that the console shows, by the part that shows it. Another language is another folder beside `en`, with the
// same shape.

import { en } from './en/en.ts';
import { operators } from './en/operators.ts';

export type Texts = typeof en;

export const text: Texts = en;
/** Those of the operators' page, which is a page of its own. */
export const operatorsText: typeof operators = operators;
/** For numbers and times. */
export const language = 'en-GB';
