// Every text that the console shows, by the part that shows it. Another language is another folder beside `en`, with the
// same shape.

import { en } from './en/en.ts';

export type Texts = typeof en;

export const text: Texts = en;
/** For numbers and times. */
export const language = 'en-GB';
