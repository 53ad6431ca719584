// Numbers and months as text, in English. The language tables that toLocaleString and Intl read take 25 ms to load, during
// which a thread does nothing else.

/** `1,234,567` */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `November 2026`, in UTC. */
export function monthName(wallMs: number): string {
  const date = new Date(wallMs);
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
