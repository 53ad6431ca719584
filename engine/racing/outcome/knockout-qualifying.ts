// Qualifying in three parts, as it has been since 2006.

/** The number of cars that reach the last part. */
export const Q3_PLACES = 10;
