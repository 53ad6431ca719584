import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Developers() {
  return <Page title={text.developers.title}>{null}</Page>;
}
