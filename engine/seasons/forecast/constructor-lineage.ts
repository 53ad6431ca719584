// Teams that race on under another name: what was learnt of the old one holds for the new one.

const RENAMED: ReadonlyMap<string, string> = new Map([
  ['marussia', 'manor'],
  ['lotus-f1', 'enstone'],
  ['renault', 'enstone'],
  ['alpine', 'enstone'],
  ['sauber', 'hinwil'],
  ['alfa-romeo', 'hinwil'],
  ['kick-sauber', 'hinwil'],
  ['audi', 'hinwil'],
  ['force-india', 'silverstone'],
  ['racing-point', 'silverstone'],
  ['aston-martin', 'silverstone'],
  ['toro-rosso', 'faenza'],
  ['alphatauri', 'faenza'],
  ['rb', 'faenza'],
  ['racing-bulls', 'faenza'],
]);

/** One id for all the names that a team had since 2014; teams that changed theirs go by the place of their factory. */
export function teamOf(constructorId: string): string {
  return RENAMED.get(constructorId) ?? constructorId;
}
