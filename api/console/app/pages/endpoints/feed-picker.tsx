// Chooses feeds: what each tells, how often, and which plan it needs.

import { useId } from 'preact/hooks';
import type { Feed } from '#api/client/calls.ts';
import type { PlanTerms } from '../../data/account.ts';
import { Check } from '../../parts/field.tsx';
import { text } from '../../text/text.ts';
import { type FeedChoice, type FeedGroup, groupsOf, isChosen, isOpen, withFeeds } from './feed-choice.ts';
import type { FeedNote } from './feed-notes.ts';

/** The others are opened on demand: all feeds together fill three screens. */
const FIRST = 'session';

export interface FeedPickerProps {
  readonly feeds: readonly Feed[];
  readonly notes: readonly FeedNote[];
  readonly terms: PlanTerms;
  readonly choice: FeedChoice;
  readonly onChoose: (choice: FeedChoice) => void;
}

export function FeedPicker({ feeds, notes, terms, choice, onChoose }: FeedPickerProps) {
  const name = useId();
  const open = feeds.filter((feed) => isOpen(feed, terms));
  const chosen = open.filter((feed) => isChosen(feed, choice)).length;
  const kinds: readonly (readonly [FeedChoice['kind'], string])[] = [
    ['everything', text.endpoints.everything],
    ['these', text.endpoints.these],
  ];
  return (
    <fieldset class="plain stack tight">
      <legend>{text.endpoints.chooseFeeds}</legend>
      {kinds.map(([kind, label]) => (
        <label class="check" key={kind}>
          <input
            type="radio"
            name={name}
            checked={choice.kind === kind}
            onChange={() => onChoose({ ...choice, kind })}
          />
          <span>{label}</span>
        </label>
      ))}
      <div class="small soft" role="status">
        {text.endpoints.chosen(chosen, terms.feedsPerEndpoint)}
      </div>
      {groupsOf(feeds).map((group) => (
        <Group key={group.name} {...{ group, notes, terms, choice, onChoose }} />
      ))}
    </fieldset>
  );
}

function Group({
  group: { name, feeds },
  notes,
  terms,
  choice,
  onChoose,
}: Omit<FeedPickerProps, 'feeds'> & { readonly group: FeedGroup }) {
  const open = feeds.filter((feed) => isOpen(feed, terms));
  const isWhole = open.length > 0 && open.every((feed) => isChosen(feed, choice));
  const isFixed = choice.kind === 'everything';
  return (
    <details class="card" open={name === FIRST}>
      <summary>
        <strong>{text.endpoints.groups[name]}</strong>{' '}
        <span class="soft small">
          {open.filter((feed) => isChosen(feed, choice)).length} / {feeds.length}
        </span>
      </summary>
      {open.length > 1 && (
        <Check
          label={text.endpoints.wholeGroup(text.endpoints.groups[name])}
          checked={isWhole}
          disabled={isFixed}
          onChange={(checked) => onChoose(withFeeds(choice, open, checked))}
        />
      )}
      <ul class="feed-list">
        {feeds.map((feed) => (
          <li key={feed.feedId}>
            <Check
              label={<FeedName feed={feed} note={notes.find(({ feedId }) => feedId === feed.feedId)} terms={terms} />}
              checked={isChosen(feed, choice) && (!isFixed || isOpen(feed, terms))}
              // What a lower plan has closed can still be given up.
              disabled={isFixed || (!isOpen(feed, terms) && !isChosen(feed, choice))}
              onChange={(checked) => onChoose(withFeeds(choice, [feed], checked))}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}

interface FeedNameProps {
  readonly feed: Feed;
  readonly note: FeedNote | undefined;
  readonly terms: PlanTerms;
}

function FeedName({ feed, note, terms }: FeedNameProps) {
  return (
    <>
      <strong>{feed.name}</strong> <code class="small soft">{feed.feedId}</code>{' '}
      <span class={`badge${isOpen(feed, terms) ? '' : ' warn'}`}>
        {text.endpoints.plansOf[feed.availability]}
        {!isOpen(feed, terms) && <span class="sr-only"> ({text.endpoints.notInPlan})</span>}
      </span>
      {note !== undefined && (
        <span class="small soft feed-note">
          {note.tells} {note.sent}{' '}
          {note.perMinute === null ? text.endpoints.notInDemo : text.endpoints.perMinute(note.perMinute)}
        </span>
      )}
    </>
  );
}
