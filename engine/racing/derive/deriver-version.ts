// The version of the deriver, and the digests that guard it: of the timelines that it derives from the project's own
// sessions.

/**
 * Raise it whenever the same frames give other updates than before: sessions get new playback artifacts then, and only
 * runs that began with older ones still play these.
 */
export const DERIVER_VERSION = 3;

/**
 * Digests of the timelines of this version, by session. A test derives each of them and says what to do if one differs.
 */
export const TIMELINE_DIGESTS: Readonly<Record<string, string>> = {
  'demo-race': 'dcb22c2ab70a6e30',
  '2026-lakeland-race': '11d4dbb4e26c497e',
  '2026-lakeland-sprint': '599d3d91d7b902f3',
  '2026-lakeland-qualifying': '42d0024cf519971e',
  '2026-lakeland-practice-1': '8c35c92e67452d21',
  '2026-harbour-cup-heat-2': '0248bf7f744ade5a',
};
