// The operators' page in the browser: a page of its own, without account or router, on the listener for operators.

import { render } from 'preact';
import { OperatorsPage } from './operators-page.tsx';
import '../styles/operators.css';

render(<OperatorsPage />, document.getElementById('console')!);
