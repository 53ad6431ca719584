// Lap time lost to fuel weight. The model assumes a full load at the start that burns evenly. The actual load is not
// published, so we assume a typical one: 105 kg for a race and a third of that for a sprint.

const RACE_KG = 105;
const SPRINT_KG = 35;
/** Seconds per lap for each kilogram, the usual figure in race models. */
const SECONDS_PER_KG = 0.036;

/** Seconds lost against an empty tank, with the fuel at mid-lap. 0 when the distance is not known. */
export function fuelSeconds(lap: number, totalLaps: number | null, isSprint: boolean): number {
  if (totalLaps === null || totalLaps <= 0) return 0;
  const left = Math.min(1, Math.max(0, 1 - (lap - 0.5) / totalLaps));
  return (isSprint ? SPRINT_KG : RACE_KG) * SECONDS_PER_KG * left;
}
