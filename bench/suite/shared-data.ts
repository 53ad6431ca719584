// Where benches find real recordings and the history of the sport, which are not part of the project. If they are
// missing, benches say so and use the built-in race or skip a part.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SHARED_DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));
/** One folder per session, laid out like the live-timing archive. */
export const ARCHIVE = join(SHARED_DATA, 'archive');
export const HISTORY = join(SHARED_DATA, 'history/f1db');
/** Tables of laps, one file for each season. */
export const LAPS = join(SHARED_DATA, 'laps');
