import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';

export function Calendar() {
  return <Page title={text.calendar.title}>{null}</Page>;
}
