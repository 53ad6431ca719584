import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Endpoint({ id: _id }: { readonly id: string }) {
  return <Page title={text.endpoints.title}>{null}</Page>;
}
