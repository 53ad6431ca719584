// A button, and a link that looks like one.

import type { ComponentChildren } from 'preact';
import { to } from '../address.ts';

type Kind = 'plain' | 'primary' | 'danger';

export interface ButtonProps {
  readonly kind?: Kind;
  readonly small?: boolean;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** For buttons whose content does not say enough. */
  readonly label?: string;
  /** For buttons that switch something. */
  readonly pressed?: boolean;
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

export function Button({
  kind = 'plain',
  small,
  type = 'button',
  disabled,
  label,
  pressed,
  onClick,
  children,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={classOf(kind, small)}
      disabled={disabled === true}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

export interface LinkButtonProps {
  /** A path of the service: `/console/endpoints`. */
  readonly path: string;
  readonly kind?: Kind;
  readonly small?: boolean;
  /** For links whose content does not say enough. */
  readonly label?: string;
  /** Called before the page is opened. */
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

export function LinkButton({ path, kind = 'plain', small, label, onClick, children }: LinkButtonProps) {
  return (
    <a class={classOf(kind, small)} href={to(path)} aria-label={label} onClick={onClick}>
      {children}
    </a>
  );
}

function classOf(kind: Kind, small: boolean | undefined): string {
  return `button${kind === 'plain' ? '' : ` ${kind}`}${small === true ? ' small' : ''}`;
}
