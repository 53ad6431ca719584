import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Theatre({ id: _id }: { readonly id: string }) {
  return <Page title={text.theatre.title}>{null}</Page>;
}
