// Turns a slug into a title, where no better name is known: `las-vegas` gives `Las Vegas`.

export function titled(slug: string): string {
  return slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
