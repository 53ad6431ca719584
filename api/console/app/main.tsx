// The console in the browser.

import { render } from 'preact';
import { checkAccount, findAccount } from './data/account.ts';
import { Frame } from './frame/frame.tsx';
import './styles/console.css';

findAccount();
for (const [target, event] of [
  [window, 'focus'],
  [document, 'visibilitychange'],
] as const) {
  target.addEventListener(event, () => {
    if (!document.hidden) void checkAccount();
  });
}
render(<Frame />, document.getElementById('console')!);
