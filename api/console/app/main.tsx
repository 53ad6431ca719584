// The console in the browser.

import { render } from 'preact';
import { findAccount } from './data/account.ts';
import { Frame } from './frame/frame.tsx';
import './styles/console.css';

findAccount();
render(<Frame />, document.getElementById('console')!);
