// Dark or light: the viewer's system decides, until the viewer does.

import { computed, effect, signal } from '@preact/signals';

export type Theme = 'system' | 'dark' | 'light';

const KEY = 'slipstream-theme';

export const theme = signal<Theme>(kept());

const system = matchMedia('(prefers-color-scheme: light)');
const isSystemLight = signal(system.matches);
system.addEventListener('change', () => {
  isSystemLight.value = system.matches;
});

/** What is seen: for what is drawn in the colours of the moment. */
export const shade = computed(() => {
  if (theme.value !== 'system') return theme.value;
  return isSystemLight.value ? 'light' : 'dark';
});

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
  keep(theme.value);
});

/** Browsers that let no page keep anything refuse the storage itself. The theme holds for as long as the page is open. */
function kept(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === 'dark' || stored === 'light' ? stored : 'system';
  } catch {
    return 'system';
  }
}

function keep(chosen: Theme): void {
  try {
    if (chosen === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // The same.
  }
}
