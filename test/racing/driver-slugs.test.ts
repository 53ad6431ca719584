// One driver, one slug: whether live timing or the history names him.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { driverSlug } from '#engine/racing/driver-slug.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import { outcomeOf } from '#test/racing/outcome/real-outcomes.ts';
import { ALL_SESSIONS, DUMPED_SESSIONS, dataPath, descriptionOf, WITHOUT_RECORDINGS } from './real-sessions.ts';

/** A recording of which nothing but numbers is known. */
const NAMELESS = '2025-azerbaijan-qualifying';

test('every driver of every recording is called as the history calls who drove that number then', {
  skip: WITHOUT_RECORDINGS,
}, () => {
  const { weekends, entries } = readF1dbRelease(dataPath('history/f1db'));
  let raced = 0;
  let entered = 0;
  for (const session of [...ALL_SESSIONS, ...DUMPED_SESSIONS].filter((name) => name !== NAMELESS)) {
    const { season } = descriptionOf(session);
    const weekend = weekends.find(({ eventId }) => session.startsWith(`${eventId}-`));
    assert.ok(weekend, `${session} is of a weekend of the history`);
    const participants = [...weekend.results, ...weekend.sprintResults, ...weekend.qualifying];
    const ofSeason = entries.filter((entry) => entry.season === season).map(({ driverId }) => driverSlug(driverId));
    for (const { number, driver } of outcomeOf(session).cars) {
      const participant = participants.find((one) => one.number === number);
      if (participant === undefined) {
        // A practice with somebody who did not race, or a season whose results are not there yet.
        assert.ok(ofSeason.includes(driver!), `${session}: ${driver} is entered for ${season}`);
        entered++;
      } else {
        assert.equal(driver, driverSlug(participant.driverId), `${session}: ${number}`);
        raced++;
      }
    }
  }
  assert.ok(raced >= 176 && entered >= 26, `${raced} raced, ${entered} were entered`);
});
