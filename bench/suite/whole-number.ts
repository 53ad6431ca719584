// A positive whole number on a bench's command line. Throws with the option's name if it is invalid.

export function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`${option}: "${text}" is not a whole number of at least 1`);
  return value;
}
