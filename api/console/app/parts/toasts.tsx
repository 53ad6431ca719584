// Short messages at the foot of the window, read out once: what was done, with a way to undo it where there is one.

import { signal } from '@preact/signals';
import { stale } from '../data/stale.ts';
import { text } from '../text/text.ts';
import { Button } from './button.tsx';
import { problemOf } from './loaded.tsx';
import { withToast } from './toast-room.ts';

export interface Toast {
  readonly message: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 6_000;

interface ShownToast extends Toast {
  readonly no: number;
}

const shown = signal<readonly ShownToast[]>([]);
let count = 0;

/** Shows a message for `shownMs`. Returns how to take it back. */
export function toast(message: Toast, shownMs = SHOWN_MS): () => void {
  const no = ++count;
  const remove = (): void => {
    shown.value = shown.value.filter((other) => other.no !== no);
  };
  shown.value = withToast(shown.value, { ...message, no });
  setTimeout(remove, shownMs);
  return remove;
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      <Stale />
      {shown.value.map(({ no, message, action }) => (
        <div class="toast" key={no}>
          <span>{message}</span>
          {action !== undefined && (
            <Button small onClick={action.run}>
              {action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}

/** Stays until what is shown is new again. */
function Stale() {
  const parts = [...stale.value.values()];
  if (parts.length === 0) return null;
  return (
    <div class="toast">
      <span>{text.parts.stale(problemOf(parts[0]!.error))}</span>
      <Button
        small
        onClick={() => {
          for (const { reload } of parts) reload();
        }}
      >
        {text.parts.tryNow}
      </Button>
    </div>
  );
}
