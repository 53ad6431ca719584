import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Endpoints() {
  return <Page title={text.endpoints.title}>{null}</Page>;
}
