// Parses a customer's filters object into a FilterSpec, or lists everything that is wrong with it. An invalid filter
// must never be stored: it would silently deliver too much or nothing.

import { FILTER_CONSTRUCTOR_CHARS_MAX, FILTER_FEEDS_NAMED_MAX, FILTER_VALUES_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { FEEDS, type Feed, feedNumber } from '#schemas/webhook/feeds.ts';
import { raceEventTypeNumber } from '#schemas/webhook/race-event-types.ts';

type FilteredFeed = Pick<Feed, 'feedId' | 'perDriver'>;

/** What a filters object is for: a whole endpoint with these feeds, or one feed. */
export type FilterContext =
  | {
      readonly scope: 'endpoint';
      readonly feedIds: readonly string[];
      /** It has patterns too, which may mean other feeds with another plan. */
      readonly patterns?: boolean;
    }
  | { readonly scope: 'feed'; readonly feed: FilteredFeed };

export type ParsedFilters = { readonly ok: FilterSpec } | { readonly violations: readonly string[] };

/** The stored form, under construction. */
type Draft = { -readonly [Key in keyof FilterSpec]: FilterSpec[Key] };

type KeyParser = (value: unknown, place: string, violations: string[], draft: Draft) => void;

const RACE_EVENTS = 'events.race';
const DRIVER_KEYS = ['drivers', 'driverNumbers', 'constructors', 'positions'] as const satisfies (keyof FilterSpec)[];
const POSITION_MAX = 99;

const KEYS: Readonly<Record<keyof FilterSpec, KeyParser>> = {
  drivers(value, place, violations, draft) {
    const codes = texts(value, place, violations, (code) =>
      /^[A-Za-z]{3}$/.test(code) ? null : 'is not a three-letter driver code',
    );
    draft.drivers = distinct(codes.map((code) => code.toUpperCase()));
  },
  driverNumbers(value, place, violations, draft) {
    const numbers = texts(value, place, violations, (number) =>
      /^(0|[1-9]\d{0,2})$/.test(number) ? null : 'is not a racing number such as "44"',
    );
    draft.driverNumbers = distinct(numbers);
  },
  constructors(value, place, violations, draft) {
    const keywords = texts(value, place, violations, keywordFault);
    draft.constructors = distinct(keywords);
  },
  positions(value, place, violations, draft) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      violations.push(`${place} must be an object with min and max`);
      return;
    }
    for (const key of Object.keys(value)) {
      if (key !== 'min' && key !== 'max') violations.push(`${place}.${quoted(key)} is not a known key`);
    }
    const min = racePosition(value, 'min', place, violations);
    const max = racePosition(value, 'max', place, violations);
    if (min !== undefined && max !== undefined && min > max)
      violations.push(`${place}.min is greater than ${place}.max`);
    draft.positions = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  },
  eventTypes(value, place, violations, draft) {
    const types = texts(value, place, violations, (type) =>
      raceEventTypeNumber(type) === undefined ? 'is not an event type of events.race' : null,
    );
    draft.eventTypes = distinct(types);
  },
};

/**
 * Parses and normalises: driver codes become upper case, repeated values are dropped. `place` names the object in
 * messages, such as `subscriptions[0].filters`. Keys of a whole endpoint apply to those of its feeds that support them;
 * one that no feed supports is refused, because it would be ignored.
 */
export function parseFilters(value: unknown, context: FilterContext, place = 'filters'): ParsedFilters {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { violations: [`${place} must be an object`] };
  }
  const violations: string[] = [];
  const draft: Draft = {};
  for (const [key, content] of Object.entries(value)) {
    if (!Object.hasOwn(KEYS, key)) {
      violations.push(`${place}.${quoted(key)} is not a known key (${Object.keys(KEYS).join(', ')})`);
      continue;
    }
    const misplaced = misplacement(key as keyof FilterSpec, context);
    if (misplaced !== null) violations.push(`${place}.${key} ${misplaced}`);
    KEYS[key as keyof FilterSpec](content, `${place}.${key}`, violations, draft);
  }
  return violations.length > 0 ? { violations } : { ok: draft };
}

function misplacement(key: keyof FilterSpec, context: FilterContext): string | null {
  const feeds = context.scope === 'feed' ? [context.feed] : context.feedIds.map(feedOf);
  if (feeds.some((feed) => supported(feed).includes(key))) return null;
  if (key === 'eventTypes') return `is only for the feed ${RACE_EVENTS}${support(feeds)}`;
  if (context.scope === 'endpoint' && context.patterns === true) return null;
  return `is only for feeds about drivers, which ${enumerated(feeds)} ${feeds.length === 1 ? 'is' : 'are'} not${support(feeds)}`;
}

/** A feed that the service no longer offers counts as one without drivers. */
function feedOf(feedId: string): FilteredFeed {
  return FEEDS[feedNumber(feedId) ?? -1] ?? { feedId, perDriver: false };
}

/** The keys that filter this feed. */
function supported({ feedId, perDriver }: FilteredFeed): readonly (keyof FilterSpec)[] {
  if (feedId === RACE_EVENTS) return [...DRIVER_KEYS, 'eventTypes'];
  return perDriver ? DRIVER_KEYS : [];
}

/** What feeds that do not support a key support instead, as the end of a sentence. */
function support(feeds: readonly FilteredFeed[]): string {
  const filtered = feeds.filter((feed) => supported(feed).length > 0);
  if (feeds.length === 0) return '';
  if (filtered.length === 0) return `: ${feeds.length === 1 ? 'it supports' : 'they support'} no filters`;
  return `: ${enumerated(filtered)} ${filtered.length === 1 ? 'supports' : 'support'} ${supported(filtered[0]!).join(', ')}`;
}

function enumerated(feeds: readonly FilteredFeed[]): string {
  const named = feeds.slice(0, FILTER_FEEDS_NAMED_MAX).map(({ feedId }) => feedId);
  if (feeds.length > named.length) named.push(`${feeds.length - named.length} more`);
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

function texts(value: unknown, place: string, violations: string[], fault: (text: string) => string | null): string[] {
  if (!Array.isArray(value)) {
    violations.push(`${place} must be a list of strings`);
    return [];
  }
  if (value.length === 0) violations.push(`${place} is empty: leave it out to match everything`);
  if (value.length > FILTER_VALUES_MAX) {
    violations.push(`${place} has ${value.length} values, at most ${FILTER_VALUES_MAX} are allowed`);
    return [];
  }
  return value.filter((text: unknown, index): text is string => {
    const reason = typeof text === 'string' ? fault(text) : 'must be a string';
    if (reason === null) return true;
    violations.push(`${place}[${index}] ${typeof text === 'string' ? `${quoted(text)} ${reason}` : reason}`);
    return false;
  });
}

function keywordFault(keyword: string): string | null {
  if (keyword.length > FILTER_CONSTRUCTOR_CHARS_MAX) return `has more than ${FILTER_CONSTRUCTOR_CHARS_MAX} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (!keyword.isWellFormed() || /[\u0000-\u001f\u007f]/.test(keyword)) return 'contains control characters';
  return /[\p{L}\p{N}]/u.test(keyword) ? null : 'contains no letter or digit';
}

function racePosition(window: object, key: 'min' | 'max', place: string, violations: string[]): number | undefined {
  if (!Object.hasOwn(window, key)) return undefined;
  const value = (window as Record<string, unknown>)[key];
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= POSITION_MAX) return value;
  violations.push(`${place}.${key} must be a whole number from 1 to ${POSITION_MAX}`);
  return undefined;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
