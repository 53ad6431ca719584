import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Preview({ id: _id }: { readonly id: string }) {
  return <Page title={text.calendar.title}>{null}</Page>;
}
