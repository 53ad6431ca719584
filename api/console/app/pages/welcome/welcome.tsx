import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Welcome() {
  return <Page title={text.welcome.title}>{null}</Page>;
}
