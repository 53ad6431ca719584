// Which updates the deriver makes of frames, as a number, and the proof of it: what it makes of sessions that are part of the
// project.

/** To be raised whenever the same frames give other updates than before: compiled timelines of older versions are stale. */
export const DERIVER_VERSION = 3;

/** Digests of the timelines that this version derives, by session. A test derives them all and says what to do when one differs. */
export const TIMELINE_DIGESTS: Readonly<Record<string, string>> = {
  'demo-race': 'dcb22c2ab70a6e30',
  '2026-lakeland-race': '11d4dbb4e26c497e',
  '2026-lakeland-sprint': '599d3d91d7b902f3',
  '2026-lakeland-qualifying': '42d0024cf519971e',
  '2026-lakeland-practice-1': '8c35c92e67452d21',
  '2026-harbour-cup-heat-2': '0248bf7f744ade5a',
};
