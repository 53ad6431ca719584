// The fields of an endpoint, for the form of a new one and for its settings.

import { Check, Field } from '../../parts/field.tsx';
import { text } from '../../text/text.ts';
import { parseHeaders } from './own-headers.ts';

export interface TextProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export function UrlField({ value, onInput }: TextProps) {
  return (
    <Field label={text.endpoints.address} hint={text.endpoints.urlHint}>
      {(tied) => (
        <input
          {...tied}
          type="url"
          required
          placeholder={text.endpoints.urlExample}
          autoComplete="off"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface MethodFieldProps {
  readonly value: 'post' | 'put';
  readonly onChange: (method: 'post' | 'put') => void;
}

export function MethodField({ value, onChange }: MethodFieldProps) {
  return (
    <Field label={text.endpoints.method}>
      {(tied) => (
        <select {...tied} value={value} onChange={(event) => onChange(event.currentTarget.value as 'post' | 'put')}>
          <option value="post">{text.endpoints.methods.post}</option>
          <option value="put">{text.endpoints.methods.put}</option>
        </select>
      )}
    </Field>
  );
}

export function DescriptionField({ value, onInput }: TextProps) {
  return (
    <Field label={text.endpoints.description} hint={text.endpoints.descriptionHint}>
      {(tied) => (
        <input {...tied} maxLength={256} value={value} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </Field>
  );
}

export function HeadersField({ value, onInput }: TextProps) {
  const parsed = parseHeaders(value);
  return (
    <Field
      label={text.endpoints.headers}
      hint={text.endpoints.headersHint}
      problem={parsed.kind === 'wrong' ? text.endpoints.headersWrong(parsed.line) : null}
    >
      {(tied) => (
        <textarea
          {...tied}
          class="input mono"
          autoComplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface SnapshotCheckProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function SnapshotCheck({ checked, onChange }: SnapshotCheckProps) {
  return (
    <Check
      label={
        <>
          {text.endpoints.snapshot}
          <span class="small soft feed-note">{text.endpoints.snapshotHint}</span>
        </>
      }
      checked={checked}
      onChange={onChange}
    />
  );
}
