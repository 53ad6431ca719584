// A text to copy: a command, an id, a secret.

import { text } from '../text/text.ts';
import { Button } from './button.tsx';
import { toast } from './toasts.tsx';

export function CopyButton({ value, label }: { readonly value: string; readonly label: string }) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      toast({ message: text.parts.copied });
    } catch {
      // The clipboard is for https and for pages that may use it.
      toast({ message: text.parts.notCopied });
    }
  };
  return (
    <Button small label={text.parts.copyWhat(label)} onClick={() => void copy()}>
      {text.parts.copy}
    </Button>
  );
}

export function CopyBlock({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <div class="stack tight">
      <div class="row apart">
        <span class="small soft">{label}</span>
        <CopyButton value={value} label={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{value}</pre>
    </div>
  );
}
