// A slug as a title, where nothing better is known: `las-vegas` is `Las Vegas`.

export function titled(slug: string): string {
  return slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
