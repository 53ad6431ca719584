// The version of the deriver, and the digests that guard it: of the timelines that it derives from the project's own
// sessions.

/**
 * Raise it whenever the same frames give other updates than before: sessions get new playback artifacts then, and only
 * runs that began with older ones still play these.
 */
export const DERIVER_VERSION = 10;

/**
 * Digests of the timelines of this version, by session. A test derives each of them and says what to do if one differs.
 */
export const TIMELINE_DIGESTS: Readonly<Record<string, string>> = {
  'demo-race': '172211168f61066e',
  '2026-lakeland-race': 'c0cf4d235bd0e215',
  '2026-lakeland-sprint': 'dc6a1b296da9d2a1',
  '2026-lakeland-qualifying': '13923bc497d6fb4b',
  '2026-lakeland-practice-1': '18b52ac12c360efc',
  '2026-harbour-cup-heat-2': '0248bf7f744ade5a',
};
