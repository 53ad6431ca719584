// Switches between dark, light and what the system says.

import { theme } from '../data/theme.ts';
import { text } from '../text/text.ts';
import { Button } from './button.tsx';

const NEXT_THEME = { system: 'dark', dark: 'light', light: 'system' } as const;
/** A full, an empty and a half disc. */
const THEME_SIGNS = {
  system: 'M12 4a8 8 0 0 1 0 16z',
  dark: 'M12 4a8 8 0 0 1 0 16a8 8 0 0 1 0-16z',
  light: '',
} as const;

export function ThemeButton() {
  const now = theme.value;
  return (
    <Button
      small
      label={text.frame.theme(text.frame.themes[now])}
      onClick={() => {
        theme.value = NEXT_THEME[now];
      }}
    >
      <svg class="theme-sign" viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2" />
        <path d={THEME_SIGNS[now]} fill="currentColor" />
      </svg>
    </Button>
  );
}
