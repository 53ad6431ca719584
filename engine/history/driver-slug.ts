// What a driver is called to customers: the slug of the name that live timing uses, so that feeds, previews and scores name
// him alike. The history's ids are slugs of his name as well, nearly always of the same.

const CALLED: Readonly<Record<string, string>> = {
  'carlos-sainz-jr': 'carlos-sainz',
};

/** `driverId` is the history's. */
export function driverSlug(driverId: string): string {
  return CALLED[driverId] ?? driverId;
}
