// A form field: its label, a hint, and what is wrong with its value.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | null;
  /** Gets the attributes that tie the input to label, hint and problem. */
  readonly children: (tied: TiedProps) => ComponentChildren;
}

export interface TiedProps {
  readonly id: string;
  readonly class: 'input';
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

export function Field({ label, hint, problem = null, children }: FieldProps) {
  const id = useId();
  const about = `${id}-about`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, class: 'input', 'aria-describedby': about, 'aria-invalid': problem !== null })}
      <div id={about}>
        {hint !== undefined && <div class="hint">{hint}</div>}
        {problem !== null && <div class="problem">{problem}</div>}
      </div>
    </div>
  );
}

export interface InputFieldProps {
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  /** For the browser and its password manager: `username`, `current-password`. */
  readonly autoComplete: string;
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** A field of one line. */
export function InputField({ label, type, value, onInput, ...input }: InputFieldProps) {
  return (
    <Field label={label}>
      {(
        tied, // Preact's types know each type of input by itself, not a union of them.
      ) => (
        <input
          {...tied}
          {...input}
          type={type as 'text'}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface CheckProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Check({ label, checked, required, disabled, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        required={required === true}
        disabled={disabled === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
