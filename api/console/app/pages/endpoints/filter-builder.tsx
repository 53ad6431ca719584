// The form of filters. Drivers and teams of the session that the choice is tried on can be picked.

import { Check, Field } from '../../parts/field.tsx';
import { text } from '../../text/text.ts';
import { type FilterForm, includes, toggled } from './filter-form.ts';
import type { Match } from './use-match.ts';

export interface FilterBuilderProps {
  readonly form: FilterForm;
  readonly onChange: (form: FilterForm) => void;
  /** Which of the filters mean something for the chosen feeds. */
  readonly byDriver: boolean;
  readonly byEvent: boolean;
  readonly eventTypes: readonly string[];
  /** Who takes part in the session. */
  readonly drivers: Match['drivers'];
}

export function FilterBuilder({ form, onChange, byDriver, byEvent, eventTypes, drivers }: FilterBuilderProps) {
  const change = (part: Partial<FilterForm>): void => onChange({ ...form, ...part });
  if (!byDriver && !byEvent) return <p class="soft">{text.endpoints.noFilters}</p>;
  const teams = [...new Set(drivers.map(({ team }) => team))].filter((team) => team !== '').sort();
  return (
    <div class="stack">
      <p class="small soft">{text.endpoints.filtersHint}</p>
      {byDriver && (
        <>
          <ListField
            label={text.endpoints.drivers}
            hint={text.endpoints.driversHint}
            value={form.drivers}
            onInput={(value) => change({ drivers: value })}
            entries={drivers.map(({ code }) => code).sort()}
          />
          <ListField
            label={text.endpoints.constructors}
            hint={text.endpoints.constructorsHint}
            value={form.constructors}
            onInput={(value) => change({ constructors: value })}
            entries={teams}
          />
          <div class="field-row">
            <Field label={text.endpoints.driverNumbers}>
              {(tied) => (
                <input
                  {...tied}
                  value={form.driverNumbers}
                  onInput={(event) => change({ driverNumbers: event.currentTarget.value })}
                />
              )}
            </Field>
            <fieldset class="plain">
              <legend>{text.endpoints.positions}</legend>
              <div class="row nowrap">
                <PositionInput
                  label={text.endpoints.from}
                  value={form.positionMin}
                  onInput={(positionMin) => change({ positionMin })}
                />
                <span aria-hidden="true">–</span>
                <PositionInput
                  label={text.endpoints.to}
                  value={form.positionMax}
                  onInput={(positionMax) => change({ positionMax })}
                />
              </div>
            </fieldset>
          </div>
        </>
      )}
      {byEvent && (
        <details>
          <summary>{text.endpoints.eventTypesChosen(form.eventTypes.length)}</summary>
          <fieldset class="plain stack tight">
            <legend class="sr-only">{text.endpoints.eventTypes}</legend>
            <p class="small soft">{text.endpoints.eventTypesHint}</p>
            <div class="event-types">
              {eventTypes.map((type) => (
                <Check
                  key={type}
                  label={<code class="small">{type}</code>}
                  checked={form.eventTypes.includes(type)}
                  onChange={(checked) =>
                    change({
                      eventTypes: checked
                        ? [...form.eventTypes, type]
                        : form.eventTypes.filter((other) => other !== type),
                    })
                  }
                />
              ))}
            </div>
          </fieldset>
        </details>
      )}
    </div>
  );
}

interface ListFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** What can be picked. */
  readonly entries: readonly string[];
}

function ListField({ label, hint, value, onInput, entries }: ListFieldProps) {
  return (
    <div class="stack tight">
      <Field label={label} hint={hint}>
        {(tied) => <input {...tied} value={value} onInput={(event) => onInput(event.currentTarget.value)} />}
      </Field>
      {entries.length > 0 && (
        <fieldset class="plain picks">
          <legend class="sr-only">
            {label}: {text.endpoints.fromSession}
          </legend>
          {entries.map((entry) => (
            <button
              key={entry}
              type="button"
              class="pick"
              aria-pressed={includes(value, entry)}
              onClick={() => onInput(toggled(value, entry))}
            >
              {entry}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}

interface PositionInputProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function PositionInput({ label, value, onInput }: PositionInputProps) {
  return (
    <input
      class="input"
      type="number"
      min={1}
      max={99}
      aria-label={`${text.endpoints.positions}: ${label}`}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}
