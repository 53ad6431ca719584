// Filters as a form keeps them: lists are texts, as people type them. The service says what is wrong with them.

import type { Filters } from '#api/client/calls.ts';

export interface FilterForm {
  /** Codes, joined by commas or spaces. */
  readonly drivers: string;
  readonly driverNumbers: string;
  /** Keywords, joined by commas: they may have spaces. */
  readonly constructors: string;
  readonly positionMin: string;
  readonly positionMax: string;
  readonly eventTypes: readonly string[];
}

export const NO_FILTERS: FilterForm = {
  drivers: '',
  driverNumbers: '',
  constructors: '',
  positionMin: '',
  positionMax: '',
  eventTypes: [],
};

type EventTypes = NonNullable<Filters['eventTypes']>;

/** As requests have them: only the keys that say something. */
export function filtersOf(form: FilterForm): Filters {
  const drivers = words(form.drivers).map((code) => code.toUpperCase());
  const driverNumbers = words(form.driverNumbers);
  const constructors = phrases(form.constructors);
  const min = form.positionMin.trim();
  const max = form.positionMax.trim();
  return {
    ...(drivers.length > 0 && { drivers }),
    ...(driverNumbers.length > 0 && { driverNumbers }),
    ...(constructors.length > 0 && { constructors }),
    ...((min !== '' || max !== '') && {
      positions: { ...(min !== '' && { min: Number(min) }), ...(max !== '' && { max: Number(max) }) },
    }),
    ...(form.eventTypes.length > 0 && { eventTypes: form.eventTypes as EventTypes }),
  };
}

export function formOf({ drivers, driverNumbers, constructors, positions, eventTypes }: Filters): FilterForm {
  return {
    drivers: drivers?.join(', ') ?? '',
    driverNumbers: driverNumbers?.join(', ') ?? '',
    constructors: constructors?.join(', ') ?? '',
    positionMin: positions?.min?.toString() ?? '',
    positionMax: positions?.max?.toString() ?? '',
    eventTypes: eventTypes ?? [],
  };
}

/** The text of a list with this entry in it, or without it. */
export function toggled(text: string, entry: string): string {
  const entries = phrases(text);
  const isIn = entries.some((other) => same(other, entry));
  return (isIn ? entries.filter((other) => !same(other, entry)) : [...entries, entry]).join(', ');
}

export function includes(text: string, entry: string): boolean {
  return phrases(text).some((other) => same(other, entry));
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function words(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== '');
}

function phrases(text: string): string[] {
  return text
    .split(/[,;\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');
}
