// The driver's id for customers: the slug of the name that live timing uses, so feeds, previews and scores agree. The
// ids in the historical data are slugs of names, too, with few differences. Live timing itself once changed a name in
// mid-season.

const CURRENT_SLUGS: Readonly<Record<string, string>> = {
  'carlos-sainz-jr': 'carlos-sainz',
  'andrea-kimi-antonelli': 'kimi-antonelli',
};

/** `driverId` is an id from the historical data, or the slug of a name from live timing. */
export function driverSlug(driverId: string): string {
  return Object.hasOwn(CURRENT_SLUGS, driverId) ? CURRENT_SLUGS[driverId]! : driverId;
}
