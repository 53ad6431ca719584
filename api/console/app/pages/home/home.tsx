import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Home() {
  return <Page title={text.home.title}>{null}</Page>;
}
