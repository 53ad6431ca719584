// The version of the deriver, and the digests that guard it: of the timelines that it derives from the project's own
// sessions.

/**
 * Raise it whenever the same frames give other updates than before: sessions get new playback artifacts then, and only
 * runs that began with older ones still play these.
 */
export const DERIVER_VERSION = 8;

/**
 * Digests of the timelines of this version, by session. A test derives each of them and says what to do if one differs.
 */
export const TIMELINE_DIGESTS: Readonly<Record<string, string>> = {
  'demo-race': 'ad78b9f1a40cfd4a',
  '2026-lakeland-race': 'dd82c1d3f486187e',
  '2026-lakeland-sprint': 'fcbea9840f52fd9b',
  '2026-lakeland-qualifying': 'c3e244a9fb5f8d25',
  '2026-lakeland-practice-1': '18b52ac12c360efc',
  '2026-harbour-cup-heat-2': '0248bf7f744ade5a',
};
