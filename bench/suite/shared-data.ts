// Real recordings and the history of the sport lie beside the project, not in it: where they are missing, benches say so and take the
// built-in race or leave something out.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SHARED_DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));
/** One folder for each session, as the live-timing archive has them. */
export const ARCHIVE = join(SHARED_DATA, 'archive');
export const HISTORY = join(SHARED_DATA, 'history/f1db');
