// A number on a bench's command line; a mistake is told with the option's name.

export function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option}: "${text}" is not a whole number from 1`);
  return value;
}
