// A tyre: a dot in the colour of its compound, with its letter, and its age.

import { text } from '../../../text/text.ts';

export interface TyreProps {
  readonly compound: string | null;
  readonly age: number | null;
  readonly isNew: boolean | null;
}

/** The softer compounds of 2018. Their first letters are those of others, so they have two. */
const SOFTER = /^(?:HYPER|ULTRA|SUPER)SOFT$/;
const KNOWN = text.theatre.tower.compounds;

export function Tyre({ compound, age, isNew }: TyreProps) {
  if (compound === null) return <>{text.theatre.tower.none}</>;
  const known = KNOWN[compound];
  const name = known ?? compound;
  const isSofter = SOFTER.test(compound);
  return (
    <span class="tower-tyre">
      <span
        class={`tower-tyre-dot${known === undefined ? '' : ` ${isSofter ? 'soft' : compound.toLowerCase()}`}`}
        aria-hidden="true"
      >
        {name.charAt(0)}
        {isSofter && 'S'}
      </span>
      <span aria-hidden="true">{age ?? ''}</span>
      <span class="sr-only">{text.theatre.tower.tyreIs(name, age, isNew)}</span>
    </span>
  );
}
