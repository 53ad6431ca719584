// The updates as they came, one of them in full.

import { signal } from '@preact/signals';
import { Button } from '../../../parts/button.tsx';
import { text } from '../../../text/text.ts';
import type { Panel, ShownUpdate } from '../show/fold.ts';
import type { UpdateLog } from './update-log.ts';
import { useDrawing } from './use-drawing.ts';

const SHOWN = 30;

export function updatesView(fold: UpdateLog): Panel['View'] {
  // Kept while the panel is hidden.
  const chosenFeed = signal<string | null>(null);
  /** The list as it was when it was paused; null: it runs. */
  const pausedList = signal<readonly ShownUpdate[] | null>(null);
  const chosenUpdate = signal<ShownUpdate | null>(null);
  return function UpdatesView({ theatre }) {
    const [feed, paused, chosen] = [chosenFeed.value, pausedList.value, chosenUpdate.value];
    const place = useDrawing(theatre, () => (pausedList.peek() === null ? fold.version : 0));
    const shown = paused ?? fold.newest(SHOWN, feed);
    return (
      <div ref={place} class="stack tight">
        <div class="row">
          <label class="panel-choice">
            <span>{text.panels.updatesFeed}</span>
            <select
              class="input"
              value={feed ?? ''}
              onChange={({ currentTarget: { value } }) => {
                const next = value === '' ? null : value;
                chosenFeed.value = next;
                if (paused !== null) pausedList.value = fold.newest(SHOWN, next);
              }}
            >
              <option value="">{text.panels.updatesAll}</option>
              {fold.feeds().map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <Button
            small
            onClick={() => {
              pausedList.value = paused === null ? shown : null;
            }}
          >
            {paused === null ? text.panels.updatesPause : text.panels.updatesResume}
          </Button>
        </div>
        {shown.length === 0 ? (
          <p class="updates-room soft">{text.panels.updatesNone}</p>
        ) : (
          <div class="update-columns">
            <ol class="updates-list" aria-label={text.panels.updatesList}>
              {shown.map((update, index) => (
                // Rows keep their place, and the focus, while updates pass through them.
                <li key={index}>
                  <button
                    type="button"
                    aria-pressed={update === chosen}
                    onClick={() => {
                      chosenUpdate.value = update;
                      pausedList.value = shown;
                    }}
                  >
                    <span class="number soft">{update.sequence}</span>
                    <span class="update-feed">{update.feed}</span>
                    <span class="number soft">{text.panels.updatesBytes(update.bytes)}</span>
                  </button>
                </li>
              ))}
            </ol>
            <Chosen update={chosen} />
          </div>
        )}
      </div>
    );
  };
}

function Chosen({ update }: { readonly update: ShownUpdate | null }) {
  if (update === null) return <p class="soft">{text.panels.updatesNoneChosen}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="update-json" tabIndex={0} aria-label={text.panels.updatesChosen(update.feed, update.sequence)}>
      <pre>{JSON.stringify(update.payload, null, 2)}</pre>
    </section>
  );
}
