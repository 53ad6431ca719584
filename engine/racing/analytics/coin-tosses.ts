// How many of unequal coins come up heads (a Poisson binomial). Most of the time of all odds is spent here, so four coins are
// taken in each pass: reading and writing what the next coin changes again would be most of the work.

/** Writes the chance of each number of heads, from 0 to `coins`. `chances` holds each coin's chance of heads. */
export function tossAll(heads: Float64Array, chances: Float64Array, coins: number): void {
  heads[0] = 1;
  const single = coins % 4;
  for (let coin = 0; coin < single; coin++) tossOne(heads, chances, coin);
  for (let coin = single; coin < coins; coin += 4) tossFour(heads, chances, coin);
}

function tossOne(heads: Float64Array, chances: Float64Array, tossed: number): void {
  const chance = chances[tossed]!;
  const not = 1 - chance;
  heads[tossed + 1] = heads[tossed]! * chance;
  for (let count = tossed; count > 0; count--) heads[count] = heads[count]! * not + heads[count - 1]! * chance;
  heads[0]! *= not;
}

/** As if one after the other was tossed, to the last digit. */
function tossFour(heads: Float64Array, chances: Float64Array, tossed: number): void {
  const a = chances[tossed]!;
  const b = chances[tossed + 1]!;
  const c = chances[tossed + 2]!;
  const d = chances[tossed + 3]!;
  const notA = 1 - a;
  const notB = 1 - b;
  const notC = 1 - c;
  const notD = 1 - d;
  // Before the first coin, and with the first one, two and three: of three, two, one and no fewer heads than `count`.
  let before = 0;
  let one = 0;
  let two = 0;
  let three = 0;
  for (let count = tossed + 4; count >= 0; count--) {
    const fewer = count < 4 ? 0 : heads[count - 4]!;
    const nextOne = before * notA + fewer * a;
    const nextTwo = one * notB + nextOne * b;
    const nextThree = two * notC + nextTwo * c;
    heads[count] = three * notD + nextThree * d;
    before = fewer;
    one = nextOne;
    two = nextTwo;
    three = nextThree;
  }
}
