// Runs in progress, of all accounts, each with a way to stop it.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunFigures } from '#schemas/http/operators.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toasts.tsx';
import { operatorsText } from '../text/text.ts';
import { whole } from './figures.ts';
import { type Column, FiguresTable } from './figures-table.tsx';
import { ListenerError, stopRun } from './listener.ts';

const text = operatorsText.runs;

/** The listener lists no more. */
const SHOWN_MAX = 100;

export interface RunsProps {
  /** Null: the database does not answer. */
  readonly runs: readonly RunFigures[] | null;
  readonly onStopped: () => void;
}

export function Runs({ runs, onStopped }: RunsProps) {
  const [asked, setAsked] = useState<RunFigures | null>(null);
  const head = useRef<HTMLHeadingElement>(null);
  const opener = useRef<Element | null>(null);
  // What was known stays: it may hold the focus.
  const known = useRef<readonly RunFigures[]>([]);
  known.current = runs ?? known.current;
  const shown = known.current;
  useEffect(() => {
    if (asked !== null || opener.current === null) return;
    // Its row may be gone by now.
    const target = opener.current.isConnected ? (opener.current as HTMLElement) : head.current;
    target?.focus();
    opener.current = null;
  }, [asked]);
  const stopped = (): void => {
    // The row will go with its run.
    opener.current = head.current;
    onStopped();
  };
  const ask = (run: RunFigures): void => {
    opener.current = document.activeElement;
    setAsked(run);
  };
  return (
    <section class="stack tight">
      <h2 ref={head} tabIndex={-1}>
        {text.heading}
      </h2>
      {runs === null && <p class="notice bad">{text.away}</p>}
      {runs?.length === 0 && <p class="soft">{text.none}</p>}
      {shown.length > 0 && (
        <FiguresTable heading={text.heading} rows={shown} keyOf={({ runId }) => runId} columns={columns(ask)} />
      )}
      {shown.length === SHOWN_MAX && <p class="soft small">{text.more(SHOWN_MAX)}</p>}
      {asked !== null && <StopDialog run={asked} onClose={() => setAsked(null)} onStopped={stopped} />}
    </section>
  );
}

function columns(ask: (run: RunFigures) => void): readonly Column<RunFigures>[] {
  return [
    { label: text.run, cell: ({ runId }) => <code>{runId}</code> },
    { label: text.account, cell: ({ email }) => email },
    { label: text.session, cell: ({ sessionId }) => sessionId },
    { label: text.mode, cell: ({ mode }) => mode },
    { label: text.state, cell: ({ state }) => <State state={state} /> },
    { label: text.started, cell: ({ startedAt }) => <Time at={startedAt} /> },
    { label: text.speed, isNumber: true, cell: ({ speed }) => `${speed}×` },
    { label: text.endpoints, isNumber: true, cell: ({ endpoints }) => whole(endpoints) },
    {
      label: text.position,
      isNumber: true,
      cell: ({ position, updateCount }) =>
        updateCount === 0 ? whole(position) : text.positionOf(whole(position), whole(updateCount)),
    },
    {
      label: text.action,
      isFixed: true,
      cell: (run) =>
        run.mode === 'live' ? (
          <span class="soft">{text.live}</span>
        ) : (
          <Button small kind="danger" label={text.stopWhat(run.runId)} onClick={() => ask(run)}>
            {text.stop}
          </Button>
        ),
    },
  ];
}

function State({ state }: { readonly state: string }) {
  return <span class={state === 'stopping' ? 'badge warn' : 'badge'}>{text.states[state] ?? state}</span>;
}

interface StopDialogProps {
  readonly run: RunFigures;
  readonly onClose: () => void;
  readonly onStopped: () => void;
}

function StopDialog({ run, onClose, onStopped }: StopDialogProps) {
  const { runId, mode, sessionId, email } = run;
  const [problem, setProblem] = useState<string | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const stop = async (): Promise<void> => {
    setIsAsking(true);
    try {
      const { state } = await stopRun(runId);
      toast({ message: state === 'stopping' ? text.stopping(runId) : text.ended(runId) });
      onClose();
      onStopped();
    } catch (failure) {
      setProblem(failure instanceof ListenerError ? failure.message : operatorsText.unreachable);
      setIsAsking(false);
    }
  };
  return (
    <Dialog title={text.ask} onClose={onClose}>
      <p>{text.askAbout(mode, sessionId, email)}</p>
      <p class="mono">{runId}</p>
      <p>{text.consequence}</p>
      {problem !== null && (
        <div class="notice bad" role="alert">
          {problem}
        </div>
      )}
      <div class="row">
        <Button kind="danger" disabled={isAsking} onClick={() => void stop()}>
          {text.confirm}
        </Button>
        <Button onClick={onClose}>{text.keep}</Button>
      </div>
    </Dialog>
  );
}
