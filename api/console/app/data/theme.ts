// Dark or light: the viewer's system decides, until the viewer does.

import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'dark' | 'light';

const KEY = 'slipstream-theme';
const stored = localStorage.getItem(KEY);

export const theme = signal<Theme>(stored === 'dark' || stored === 'light' ? stored : 'system');

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
