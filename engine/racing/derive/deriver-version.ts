// The version of the deriver, and the digests that guard it: of the timelines that it derives from the project's own
// sessions.

/**
 * Raise it whenever the same frames give other updates than before: sessions get new playback artifacts then, and only
 * runs that began with older ones still play these.
 */
export const DERIVER_VERSION = 4;

/**
 * Digests of the timelines of this version, by session. A test derives each of them and says what to do if one differs.
 */
export const TIMELINE_DIGESTS: Readonly<Record<string, string>> = {
  'demo-race': 'dcb22c2ab70a6e30',
  '2026-lakeland-race': 'de07a236f2a561e3',
  '2026-lakeland-sprint': '86893349b20bdb9a',
  '2026-lakeland-qualifying': '091221f63555d6ca',
  '2026-lakeland-practice-1': '8c35c92e67452d21',
  '2026-harbour-cup-heat-2': '0248bf7f744ade5a',
};
