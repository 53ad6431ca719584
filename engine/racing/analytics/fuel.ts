// What the fuel on board costs: cars start with all of it and burn it evenly. How much they start with is not told, so it is
// that of a usual race: 105 kg, and a third of it for a sprint.

const RACE_KG = 105;
const SPRINT_KG = 35;
/** Seconds that a kilogram costs on a lap, as models of races have it. */
const SECONDS_PER_KG = 0.036;

/** Seconds that a lap takes more than with an empty tank, in the middle of the lap; 0 when the distance is not told. */
export function fuelSeconds(lap: number, totalLaps: number | null, isSprint: boolean): number {
  if (totalLaps === null || totalLaps <= 0) return 0;
  const left = Math.min(1, Math.max(0, 1 - (lap - 0.5) / totalLaps));
  return (isSprint ? SPRINT_KG : RACE_KG) * SECONDS_PER_KG * left;
}
