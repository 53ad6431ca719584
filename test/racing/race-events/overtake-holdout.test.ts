// Compares the overtakes of the 2025 sprint in Miami with a list that was made without the rule. The rule was developed
// on another race (overtake-review.test.ts) and must not be fitted to this one: its misses here measure it.
//
// The list was made before the rule was run. The raw recording has the times at which NumberOfLaps rose, and so the
// order of each two drivers at each crossing of the line: 90 pairs swapped places from one lap to the next, from the
// grid on. The times of the 26 segments of a lap gave 23 more pairs, which swapped places and back between two lines,
// or of which one car did not finish. Each pair was reviewed with the gaps at all points, the positions, stops, tires,
// flags and race control messages. This is a review of the timing only: the video of the sprint was not used.
//
// The recording counts two laps behind the safety car before the standing start, which is on lap 3. The track dried,
// all cars stopped on laps 10 to 14, and from the safety car on lap 15 to the flag there was no pass.
//
// At the first measurement, the rule emitted six overtakes and missed five. In four of them, one car was on its out
// lap, for which the rule emits none. In the fifth, the passed driver entered the pits within the ten seconds for which
// the new order must hold. The list counts all five: both cars were on the track, and one passed the other. Three calls
// are debatable: two passes at the first point after the pit exit count as decided by the stop (BOR, GAS), and contact
// at turn 12 counts as an accident (LAW).
//
// [lap on which, or at the end of which, the order changed; driver ahead then; driver behind; overtake or not; why]

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { type Candidate, reviewOvertakes } from './reviewed-overtakes.ts';

const CANDIDATES: readonly Candidate[] = [
  [3, 'ALO', 'HAD', false, 'standing start'],
  [3, 'BEA', 'BOR', false, 'standing start'],
  [3, 'BEA', 'DOO', false, 'standing start'],
  [3, 'GAS', 'HUL', false, 'standing start'],
  [3, 'LAW', 'GAS', false, 'standing start'],
  [3, 'LAW', 'HAD', false, 'standing start'],
  [3, 'LAW', 'HUL', false, 'standing start'],
  [3, 'LAW', 'OCO', false, 'standing start'],
  [3, 'NOR', 'ANT', false, 'standing start'],
  [3, 'OCO', 'HUL', false, 'standing start'],
  [3, 'PIA', 'ANT', false, 'standing start'],
  [3, 'SAI', 'GAS', false, 'standing start'],
  [3, 'SAI', 'HUL', false, 'standing start'],
  [3, 'STR', 'GAS', false, 'standing start'],
  [3, 'STR', 'HUL', false, 'standing start'],
  [3, 'STR', 'OCO', false, 'standing start'],
  [3, 'STR', 'SAI', false, 'standing start'],
  [3, 'TSU', 'BOR', false, 'standing start'],
  [3, 'TSU', 'DOO', false, 'standing start'],
  [3, 'VER', 'ANT', false, 'standing start'],
  [4, 'SAI', 'OCO', false, 'ahead for 3 s at the end of the straight, taken back in the last corners'],
  [4, 'OCO', 'SAI', false, 'as before: OCO takes it back at once'],
  [5, 'SAI', 'OCO', false, 'ahead for 9 s at the end of the straight, taken back in the last corners'],
  [5, 'OCO', 'SAI', false, 'as before: OCO takes it back at once'],
  [7, 'SAI', 'OCO', false, 'ahead for 8 s at the end of the straight, taken back in the last corners'],
  [7, 'OCO', 'SAI', false, 'as before: OCO takes it back at once'],
  [9, 'BEA', 'HUL', true, '0.3 s behind at the end of the straight, 0.6 s ahead at the line; no stop, holds'],
  [10, 'BEA', 'GAS', true, '0.2 s behind on the straight, 0.4 s ahead at the line; no stop, holds'],
  [10, 'SAI', 'OCO', true, '0.1 s behind on the straight, 0.7 s ahead at the line; holds until the stop of SAI'],
  [10, 'BOR', 'TSU', false, 'TSU stops'],
  [10, 'DOO', 'TSU', false, 'TSU stops'],
  [11, 'BEA', 'OCO', true, '0.1 s behind on the straight, 0.5 s ahead at the line; no stop, holds'],
  [11, 'ALB', 'HAM', false, 'HAM stops'],
  [11, 'ALO', 'HAM', false, 'HAM stops'],
  [11, 'BEA', 'SAI', false, 'SAI stops'],
  [11, 'BEA', 'STR', false, 'STR stops'],
  [11, 'GAS', 'SAI', false, 'SAI stops'],
  [11, 'GAS', 'STR', false, 'STR stops'],
  [11, 'HUL', 'SAI', false, 'SAI stops'],
  [11, 'HUL', 'STR', false, 'STR stops'],
  [11, 'LAW', 'HAM', false, 'HAM stops'],
  [11, 'OCO', 'SAI', false, 'SAI stops'],
  [11, 'OCO', 'STR', false, 'STR stops'],
  [12, 'HAM', 'BOR', true, '40 s out of the pits, on slicks: from 1.4 s behind to 0.4 s ahead in seven points; holds'],
  [12, 'ALO', 'ALB', false, 'ALB stops'],
  [12, 'BEA', 'HAM', false, 'HAM stopped, and came out behind'],
  [12, 'BOR', 'SAI', false, 'SAI stopped, and came out behind'],
  [12, 'DOO', 'SAI', false, 'SAI stopped, and came out behind'],
  [12, 'DOO', 'STR', false, 'STR stopped, and came out behind'],
  [12, 'HAD', 'HAM', false, 'HAM stopped, and came out behind'],
  [12, 'HAD', 'LAW', false, 'LAW stops'],
  [12, 'OCO', 'BEA', false, 'BEA stops'],
  [12, 'OCO', 'HAM', false, 'HAM stopped, and came out behind'],
  [12, 'RUS', 'ANT', false, 'ANT stops'],
  [12, 'TSU', 'SAI', false, 'SAI loses 7 s at a yellow flag and crawls to the pits'],
  [
    12,
    'BOR',
    'HAM',
    false,
    'HAM rejoins from the pits 0.3 s ahead and is passed at the next point: settled by the stop',
  ],
  [12, 'HAM', 'DOO', false, 'DOO slows for the pit entry, in the pits in the same second'],
  [12, 'HAM', 'HUL', false, 'HUL stops'],
  [12, 'HAM', 'GAS', false, 'GAS stops'],
  [
    13,
    'HAM',
    'HAD',
    true,
    'on slicks; 0.1 s behind, 0.4 s ahead at the next point, 4 s before HAD is in the pits; HAD not slow yet',
  ],
  [13, 'HAM', 'OCO', true, 'on slicks, from 3.5 s behind at the line to 0.9 s ahead at half the lap; holds'],
  [
    13,
    'VER',
    'HAD',
    true,
    'on slicks, on the straight; 1.3 s ahead before HAD slows for the pit entry, 16 s later in the pits',
  ],
  [13, 'ALO', 'ANT', false, 'ANT stopped, and came out behind'],
  [13, 'ALO', 'VER', false, 'VER stopped, and came out behind'],
  [13, 'BOR', 'DOO', false, 'both in the pits, DOO for six seconds longer'],
  [13, 'HAM', 'ALB', false, 'ALB stopped, and came out behind'],
  [13, 'HAM', 'ANT', false, 'ANT stops'],
  [13, 'HAM', 'BEA', false, 'BEA stopped, and came out behind'],
  [13, 'HAM', 'LAW', false, 'LAW stopped, and came out behind'],
  [13, 'NOR', 'PIA', false, 'PIA stops'],
  [13, 'OCO', 'LAW', false, 'LAW stopped, and came out behind'],
  [13, 'RUS', 'VER', false, 'VER stopped, and came out behind'],
  [13, 'STR', 'BEA', false, 'BEA stopped, and came out behind'],
  [13, 'STR', 'DOO', false, 'DOO stopped, and came out behind'],
  [13, 'STR', 'GAS', false, 'GAS stopped, and came out behind'],
  [13, 'STR', 'HUL', false, 'HUL stopped, and came out behind'],
  [13, 'STR', 'LAW', false, 'LAW stopped, and came out behind'],
  [13, 'STR', 'OCO', false, 'OCO stops'],
  [13, 'TSU', 'BOR', false, 'BOR stopped, and came out behind'],
  [13, 'TSU', 'DOO', false, 'DOO stopped, and came out behind'],
  [13, 'TSU', 'GAS', false, 'GAS stopped, and came out behind'],
  [13, 'TSU', 'HUL', false, 'HUL stopped, and came out behind'],
  [13, 'ALB', 'OCO', false, 'OCO slows for the pit entry, in the pits in the same second'],
  [14, 'ALB', 'RUS', true, 'RUS rejoins 0.9 s ahead, is level at the next point and behind at the one after it; holds'],
  [14, 'HAM', 'VER', true, '0.5 s behind for six points, then 0.2 s and 0.6 s ahead; stops more than a lap ago, holds'],
  [14, 'HUL', 'HAD', true, 'HAD rejoins 2.9 s ahead, is caught and passed 40 s later; holds'],
  [14, 'ALB', 'ANT', false, 'ANT stopped, and came out behind'],
  [14, 'BEA', 'ANT', false, 'ANT stopped, and came out behind'],
  [14, 'BEA', 'HAD', false, 'HAD stopped, and came out behind'],
  [14, 'BEA', 'OCO', false, 'OCO stopped, and came out behind'],
  [
    14,
    'GAS',
    'HAD',
    false,
    'HAD rejoins from the pits 0.7 s ahead and is passed at the next point: settled by the stop',
  ],
  [14, 'GAS', 'OCO', false, 'OCO stopped, and came out behind'],
  [14, 'HAM', 'RUS', false, 'RUS stopped, and came out behind'],
  [14, 'HUL', 'OCO', false, 'OCO stopped, and came out behind'],
  [14, 'LAW', 'ANT', false, 'ANT stopped, and came out behind'],
  [14, 'LAW', 'HAD', false, 'HAD stopped, and came out behind'],
  [14, 'LAW', 'OCO', false, 'OCO stopped, and came out behind'],
  [14, 'STR', 'ANT', false, 'ANT stopped, and came out behind'],
  [14, 'STR', 'HAD', false, 'HAD stopped, and came out behind'],
  [14, 'TSU', 'ANT', false, 'ANT stopped, and came out behind'],
  [14, 'TSU', 'HAD', false, 'HAD stopped, and came out behind'],
  [14, 'TSU', 'OCO', false, 'OCO stopped, and came out behind'],
  [14, 'VER', 'RUS', false, 'RUS stopped, and came out behind'],
  [14, 'LAW', 'ALO', false, 'contact at turn 12 as LAW draws level; ALO is out'],
  [14, 'BEA', 'ALO', false, 'ALO is out after the contact at turn 12'],
  [14, 'TSU', 'ALO', false, 'ALO is out after the contact at turn 12'],
  [14, 'ANT', 'ALO', false, 'ALO is out after the contact at turn 12'],
  [14, 'GAS', 'ALO', false, 'ALO is out after the contact at turn 12'],
  [14, 'HUL', 'ALO', false, 'ALO is out after the contact at turn 12'],
  [14, 'HAD', 'ALO', false, 'ALO is out after the contact at turn 12'],
  [14, 'BOR', 'ALO', false, 'ALO is out after the contact at turn 12'],
  [14, 'OCO', 'ALO', false, 'ALO is out after the contact at turn 12'],
  [14, 'DOO', 'ALO', false, 'ALO is out after the contact at turn 12'],
];

test('Miami 2025, held out from the rule: every emitted overtake is one, and at least 6 of 11 are emitted', {
  skip: WITHOUT_RECORDINGS,
}, () => {
  const { emitted, right, overtakes } = reviewOvertakes('2025-miami-sprint', CANDIDATES);
  assert.equal(CANDIDATES.length, 113);
  assert.equal(overtakes, 11);
  assert.equal(right, emitted, `precision ${right} of ${emitted}`);
  assert.ok(right >= 6, `recall ${right} of ${overtakes}`);
});
