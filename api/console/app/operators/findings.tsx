// What the doctor has found, the worst first. What is fine is folded away.

import { useState } from 'preact/hooks';
import type { OperatorsFindings, ShownFinding } from '#schemas/http/operators.ts';
import { Button } from '../parts/button.tsx';
import { Time } from '../parts/time.tsx';
import { operatorsText } from '../text/text.ts';
import { usePolled } from './use-polled.ts';

const text = operatorsText.findings;

const ORDER = ['problem', 'warning', 'unknown'] as const;
const BADGES = { problem: 'badge bad', warning: 'badge warn', unknown: 'badge', ok: 'badge good' } as const;

export function Findings() {
  const [turn, setTurn] = useState(0);
  return (
    <section class="stack tight">
      <div class="row apart">
        <h2>{text.heading}</h2>
        <Button small onClick={() => setTurn(turn + 1)}>
          {text.again}
        </Button>
      </div>
      <Checked key={turn} />
    </section>
  );
}

/** One check: another one begins from nothing, and says so. */
function Checked() {
  const load = usePolled<OperatorsFindings>('/findings', null);
  return (
    <>
      {load.kind === 'loading' && (
        <p class="soft" role="status">
          {text.checking}
        </p>
      )}
      {load.kind === 'failed' && (
        <p class="notice bad" role="alert">
          {load.problem}
        </p>
      )}
      {(load.kind === 'ready' || load.kind === 'stale') && <Found {...load.value} />}
    </>
  );
}

function Found({ at, findings }: OperatorsFindings) {
  const fine = findings.filter(({ level }) => level === 'ok');
  const others = ORDER.flatMap((level) => findings.filter((finding) => finding.level === level));
  return (
    <>
      <p class="soft">
        {text.checked} <Time at={at} show="time" />. {text.fine(fine.length)}
      </p>
      <List findings={others} />
      <details>
        <summary>{text.showFine}</summary>
        <List findings={fine} />
      </details>
    </>
  );
}

function List({ findings }: { readonly findings: readonly ShownFinding[] }) {
  return (
    <ul class="operators-list">
      {findings.map(({ check, level, text: what, next }, no) => (
        <li key={no}>
          <span class={BADGES[level]}>{text.levels[level]}</span>
          <div>
            <strong>{check}</strong>: {what}
            {next !== '' && <div class="soft">{next}</div>}
          </div>
        </li>
      ))}
    </ul>
  );
}
