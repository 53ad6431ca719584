// Shows how many updates of a session a choice lets through, and three of them.

import type { Session } from '#api/client/calls.ts';
import { Field } from '../../parts/field.tsx';
import { Failure, Loading } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';
import { Preparation } from '../theatre/sessions/preparation.tsx';
import { percentText, prettyJson } from './amounts.ts';
import type { Match, MatchState, Refusal } from './use-match.ts';

export const DEMO_SESSION = 'demo-race';

export interface MatchPreviewProps {
  readonly state: MatchState & { readonly ask: () => void };
  readonly sessions: readonly Session[];
  readonly sessionId: string;
  readonly onSession: (sessionId: string) => void;
  readonly isEmpty: boolean;
}

export function MatchPreview({ state, sessions, sessionId, onSession, isEmpty }: MatchPreviewProps) {
  return (
    <section class="card match" aria-label={text.endpoints.matchTitle}>
      <h2>{text.endpoints.matchTitle}</h2>
      <Field label={text.endpoints.session}>
        {(tied) => (
          <select {...tied} value={sessionId} onChange={(event) => onSession(event.currentTarget.value)}>
            {sessions.map((session) => (
              <option key={session.sessionId} value={session.sessionId}>
                {session.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {isEmpty ? <p class="soft">{text.endpoints.matchChoose}</p> : <Answer state={state} sessionId={sessionId} />}
      {sessionId === DEMO_SESSION && <p class="small soft">{text.endpoints.matchDemo}</p>}
    </section>
  );
}

function Answer({ state, sessionId }: Pick<MatchPreviewProps, 'state' | 'sessionId'>) {
  switch (state.kind) {
    case 'none':
    case 'asking':
      return <Loading retry={state.ask} />;
    case 'known':
      return <Matches match={state.match} />;
    case 'failed':
      return <Failure error={state.error} retry={state.ask} />;
    case 'refused':
      return <Refused refusal={state.refusal} sessionId={sessionId} again={state.ask} />;
  }
}

interface RefusedProps {
  readonly refusal: Refusal;
  readonly sessionId: string;
  readonly again: () => void;
}

function Refused({ refusal: { code, message }, sessionId, again }: RefusedProps) {
  if (code === 'preparing') return <p role="status">{text.endpoints.preparing}</p>;
  const isMissing = code === 'not_prepared';
  // The demo race takes a second or two, and everybody begins with it.
  if (isMissing && sessionId === DEMO_SESSION) return <Preparation sessionId={sessionId} isWanted onReady={again} />;
  return (
    <div class="notice warn" role="status">
      <p>{message}</p>
      {isMissing && <Preparation sessionId={sessionId} onReady={again} />}
    </div>
  );
}

function Matches({ match: { matches, updates, samples } }: { readonly match: Match }) {
  const share = updates === 0 ? 0 : matches / updates;
  return (
    <>
      <div role="status">
        <strong class="match-count">{text.endpoints.matches(matches, updates)}</strong>{' '}
        <span class="soft">({percentText(share)})</span>
      </div>
      <span class="progress" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {matches === 0 && <p>{text.endpoints.matchNone}</p>}
      {samples.map(({ sequence, feedId, body, cut }) => (
        <details key={sequence}>
          <summary>
            <code>{text.endpoints.sample(feedId, sequence)}</code>
          </summary>
          {cut && <p class="small soft">{text.endpoints.cut}</p>}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre class="body" tabIndex={0}>
            {prettyJson(body)}
          </pre>
        </details>
      ))}
    </>
  );
}
