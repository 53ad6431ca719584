import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Sessions() {
  return <Page title={text.theatre.title}>{null}</Page>;
}
