// What a driver is called to customers: the slug of the name that live timing uses, so that feeds, previews and scores name
// him alike. The history's ids are slugs of his name as well, nearly always of the same; and live timing itself once changed
// a name during a season.

const CALLED: Readonly<Record<string, string>> = {
  'carlos-sainz-jr': 'carlos-sainz',
  'andrea-kimi-antonelli': 'kimi-antonelli',
};

/** `driverId` is the history's, or the slug of a name of live timing. */
export function driverSlug(driverId: string): string {
  return Object.hasOwn(CALLED, driverId) ? CALLED[driverId]! : driverId;
}
