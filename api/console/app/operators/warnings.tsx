// Warnings and errors of the log, newest first.

import type { ShownWarning } from '#schemas/http/operators.ts';
import { Time } from '../parts/time.tsx';
import { operatorsText } from '../text/text.ts';

const text = operatorsText.warnings;

export function Warnings({ warnings }: { readonly warnings: readonly ShownWarning[] }) {
  return (
    <section class="stack tight">
      <h2>{text.heading}</h2>
      <p class="soft">{warnings.length === 0 ? text.none : text.about(warnings.length)}</p>
      <ul class="operators-list">
        {warnings.map((warning, no) => (
          <li key={warnings.length - no}>
            <span class={warning.level === 'warning' ? 'badge warn' : 'badge bad'}>{text.levels[warning.level]}</span>
            <div>
              <span class="soft small">
                <Time at={warning.at} /> · {warning.from}
              </span>
              <div>{warning.text}</div>
              {warning.details !== '' && <div class="soft small">{warning.details}</div>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
