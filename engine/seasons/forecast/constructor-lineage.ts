// Teams that were renamed: what the models learnt about the old name applies to the new one.

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

/** Returns one id for all names of a team since 2014. A renamed team is identified by the town of its factory. */
export function teamOf(constructorId: string): string {
  return RENAMED.get(constructorId) ?? constructorId;
}
