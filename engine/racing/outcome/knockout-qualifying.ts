// Qualifying in three parts, as it has been since 2006.

/** Cars that go on to the last part. */
export const Q3_PLACES = 10;
