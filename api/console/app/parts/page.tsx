// A page: its title in the tab and at its head, which gets the focus so that readers of the screen hear where they are.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';

export interface PageProps {
  readonly title: string;
  /** Stands beside the title. */
  readonly actions?: ComponentChildren;
  /** How wide it is: the whole window, or one narrow form in its middle. Default: a column that is easy to read. */
  readonly width?: 'wide' | 'form' | 'welcome-main';
  readonly children: ComponentChildren;
}

/** The first page of a visit keeps the browser's own focus. */
let isFirst = true;

export function Page({ title, actions, width, children }: PageProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = text.parts.tab(title);
  }, [title]);
  useEffect(() => {
    if (!isFirst) head.current?.focus();
    isFirst = false;
  }, []);
  return (
    <main id="main" class={width === undefined ? 'main' : `main ${width}`}>
      <div class="row apart">
        <h1 ref={head} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="row">{actions}</div>}
      </div>
      {children}
    </main>
  );
}
