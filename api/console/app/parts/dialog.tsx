// A dialog over the page, by the browser's own element: it keeps the focus, and Escape closes it.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { Button } from './button.tsx';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <div class="row apart">
          <h2 id={id}>{title}</h2>
          {/* Closed by the browser, which gives the focus back. */}
          <Button small onClick={() => dialog.current?.close()}>
            {text.parts.close}
          </Button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
