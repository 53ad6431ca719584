// Feeds, filters and what they let through, together: for a new endpoint, for one that is changed, and for one feed of it.

import { useState } from 'preact/hooks';
import type { Feed, Session } from '#api/client/calls.ts';
import type { PlanTerms } from '../../data/account.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';
import { type FeedChoice, feedIdsOf, isChosen, isOpen } from './feed-choice.ts';
import { type FeedNotes, feedNotes } from './feed-notes.ts';
import { FeedPicker } from './feed-picker.tsx';
import { FilterBuilder } from './filter-builder.tsx';
import { type FilterForm, filtersOf } from './filter-form.ts';
import { DEMO_SESSION, MatchPreview } from './match-preview.tsx';
import { useMatch } from './use-match.ts';

export interface ChoiceEditorProps {
  readonly terms: PlanTerms;
  readonly choice: FeedChoice;
  readonly onChoice: (choice: FeedChoice) => void;
  readonly filters: FilterForm;
  readonly onFilters: (filters: FilterForm) => void;
  /** Shows no feeds to choose: the filters are of one. */
  readonly isFixed?: boolean;
}

const FEEDS_MAX = 500;
const SESSIONS_MAX = 100;

interface Catalogue {
  readonly feeds: readonly Feed[];
  readonly notes: FeedNotes;
  readonly sessions: readonly Session[];
}

export function ChoiceEditor(props: ChoiceEditorProps) {
  const load = useLoad(async (signal): Promise<Catalogue> => {
    const [{ feeds }, notes, { sessions }] = await Promise.all([
      service.listFeeds({ limit: FEEDS_MAX }, { signal }),
      feedNotes(),
      service.listSessions({ limit: SESSIONS_MAX }, { signal }),
    ]);
    return { feeds, notes, sessions };
  }, []);
  return <Loaded load={load}>{(catalogue) => <Editor {...props} {...catalogue} />}</Loaded>;
}

function Editor({
  terms,
  choice,
  onChoice,
  filters,
  onFilters,
  isFixed,
  feeds,
  notes,
  sessions,
}: ChoiceEditorProps & Catalogue) {
  const [sessionId, setSessionId] = useState(DEMO_SESSION);
  const chosen = feeds.filter((feed) => isOpen(feed, terms) && isChosen(feed, choice));
  const means = (kind: 'drivers' | 'drivers and event types'): boolean =>
    chosen.some(({ feedId }) => notes.feeds.some((note) => note.feedId === feedId && note.filters === kind));
  const byEvent = means('drivers and event types');
  const match = useMatch({ sessionId, feedIds: feedIdsOf(choice), filters: filtersOf(filters) });
  return (
    <div class={isFixed === true ? 'stack' : 'choice-editor'}>
      <div class="stack">
        {isFixed !== true && (
          <FeedPicker feeds={feeds} notes={notes.feeds} terms={terms} choice={choice} onChoose={onChoice} />
        )}
        {chosen.length > 0 && (
          <section class="stack tight">
            <h2>{text.endpoints.filters}</h2>
            <FilterBuilder
              form={filters}
              onChange={onFilters}
              byDriver={byEvent || means('drivers')}
              byEvent={byEvent}
              eventTypes={notes.eventTypes}
              drivers={match.kind === 'known' ? match.match.drivers : []}
            />
          </section>
        )}
      </div>
      <MatchPreview
        state={match}
        sessions={sessions}
        sessionId={sessionId}
        onSession={setSessionId}
        isEmpty={feedIdsOf(choice).length === 0}
      />
    </div>
  );
}
