import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Usage() {
  return <Page title={text.usage.title}>{null}</Page>;
}
