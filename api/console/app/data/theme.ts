// Dark or light: the viewer's system decides, until the viewer does.

import { computed, effect, signal } from '@preact/signals';

export type Theme = 'system' | 'dark' | 'light';

const KEY = 'slipstream-theme';
const stored = localStorage.getItem(KEY);

export const theme = signal<Theme>(stored === 'dark' || stored === 'light' ? stored : 'system');

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
  if (theme.value === 'system') {
    delete dataset.theme;
    localStorage.removeItem(KEY);
  } else {
    dataset.theme = theme.value;
    localStorage.setItem(KEY, theme.value);
  }
});
