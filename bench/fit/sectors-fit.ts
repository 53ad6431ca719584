// Fits what the sectors of a lap tell in qualifying to the recordings: how far laps end from what their sectors project, and
// how many are ended at all.

import { recordedQualifying } from '#bench/models/qualifying-recordings.ts';
import { sectorCases, sectorSettingsOf } from '#bench/models/sector-cases.ts';
import { type Fit, RECORDINGS } from './fit.ts';

export const SECTORS_FIT: Fit = {
  summary: 'laps under way in qualifying from their sectors, from recordings of 2023 to 2026',
  file: 'engine/racing/analytics/coefficients/sectors.json',
  sources: RECORDINGS,
  method:
    'After the first sector, and after the second: the median distance of laps from what their sectors project, as a ' +
    'deviation; and the share of fast laps that were ended.',
  fit({ recordings: folder }, progress) {
    const cases = recordedQualifying(folder).flatMap(sectorCases);
    progress(`${cases.length} sectors of fast laps`);
    return { seasons: '2023 to 2026', values: { sectors: sectorSettingsOf(cases) } };
  },
};
