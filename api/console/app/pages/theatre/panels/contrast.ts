// Team colours that can be seen: lines and dots need a contrast of 3 to what they are drawn on (WCAG 1.4.11).

export type Rgb = readonly [red: number, green: number, blue: number];

const CONTRAST_MIN = 3;
const STEPS = 20;

export function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((left, right) => left - right);
  return (high! + 0.05) / (low! + 0.05);
}

/** The colour itself, or as little lighter or darker as it must be on this ground. */
export function visibleOn(ground: Rgb, colour: Rgb): Rgb {
  const end = luminance(ground) < 0.2 ? 255 : 0;
  for (let step = 0; step < STEPS; step++) {
    const share = step / STEPS;
    const mixed = colour.map((part) => Math.round(part + (end - part) * share)) as unknown as Rgb;
    if (contrast(mixed, ground) >= CONTRAST_MIN) return mixed;
  }
  return [end, end, end];
}

export function cssOf([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}

/** WCAG's relative luminance. */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
