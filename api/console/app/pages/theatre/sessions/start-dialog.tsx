// How to replay a session: how fast, and where its updates go.

import { useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Session, SimulateQuota } from '#api/client/calls.ts';
import { to } from '../../../address.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { text } from '../../../text/text.ts';
import { wishDeliveries } from '../delivery-wish.ts';
import { replayPath, type Sinks } from '../replay-address.ts';
import { SPEEDS } from '../show/speeds.ts';

const words = text.theatre.start;
const SPEED = 10;

export interface StartDialogProps {
  readonly session: Session;
  /** Null: not known. */
  readonly quota: SimulateQuota | null;
  readonly onClose: () => void;
}

export function StartDialog({ session, quota, onClose }: StartDialogProps) {
  const { route } = useLocation();
  const [speed, setSpeed] = useState(SPEED);
  const [sinks, setSinks] = useState<Sinks>('visual');
  const begin = (event: Event): void => {
    event.preventDefault();
    if (sinks === 'both') wishDeliveries(session.sessionId);
    route(to(replayPath(session.sessionId, { speed, sinks })));
  };
  return (
    <Dialog title={words.title(session.name)} onClose={onClose}>
      <form class="stack" onSubmit={begin}>
        <Field label={words.speed}>
          {(tied) => (
            <select {...tied} value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
              {SPEEDS.map((option) => (
                <option key={option} value={option}>
                  {text.theatre.controls.times(option)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <fieldset class="field plain">
          <legend>{words.where}</legend>
          <Choice label={words.visual} hint={words.visualHint} value="visual" chosen={sinks} onChoose={setSinks} />
          <Choice
            label={words.both}
            hint={`${words.bothHint} ${slotHint(session, quota)}`}
            value="both"
            chosen={sinks}
            onChoose={setSinks}
          />
        </fieldset>
        <div class="row">
          <Button kind="primary" type="submit">
            {words.begin}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly hint: string;
  readonly value: Sinks;
  readonly chosen: Sinks;
  readonly onChoose: (value: Sinks) => void;
}

function Choice({ label, hint, value, chosen, onChoose }: ChoiceProps) {
  const about = useId();
  return (
    <div class="start-choice">
      <label class="check">
        <input
          type="radio"
          name="sinks"
          checked={chosen === value}
          aria-describedby={about}
          onChange={() => onChoose(value)}
        />
        <span>{label}</span>
      </label>
      <p class="hint" id={about}>
        {hint}
      </p>
    </div>
  );
}

function slotHint({ demo, unlocked }: Session, quota: SimulateQuota | null): string {
  if (demo) return words.bothDemo;
  if (unlocked) return words.bothFree;
  return quota === null || quota.limit === -1 ? '' : words.bothSlot(quota.remaining);
}
