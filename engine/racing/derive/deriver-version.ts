// The version of the deriver, and the digests that guard it: of the timelines that it derives from the project's own
// sessions.

/**
 * Raise it whenever the same frames give other updates than before: sessions get new playback artifacts then, and only
 * runs that began with older ones still play these.
 */
export const DERIVER_VERSION = 12;

/**
 * Digests of the timelines of this version, by session. A test derives each of them and says what to do if one differs.
 */
export const TIMELINE_DIGESTS: Readonly<Record<string, string>> = {
  'demo-race': '4071c75376ed4d7a',
  '2026-lakeland-race': 'e952f5dad850a68d',
  '2026-lakeland-sprint': '02dbafe44a3223f8',
  '2026-lakeland-qualifying': '13923bc497d6fb4b',
  '2026-lakeland-practice-1': '18b52ac12c360efc',
  '2026-harbour-cup-heat-2': '0248bf7f744ade5a',
};
