// The theatre: a session as it plays, replayed or live, with its tower, head, time line and panels.

import { signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { Session } from '#api/client/calls.ts';
import { useLoad } from '../../data/use-load.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Empty, Failure, Late, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { toast } from '../../parts/toasts.tsx';
import { text } from '../../text/text.ts';
import { Busy } from './busy.tsx';
import { takeWish } from './delivery-wish.ts';
import { Head } from './head/head.tsx';
import { HeadFold } from './head/head-fold.ts';
import { Messages } from './head/messages.tsx';
import { TimeLine } from './head/time-line.tsx';
import { TimeLineFold } from './head/time-line-fold.ts';
import { PanelGrid } from './panel-grid.tsx';
import { makePanels } from './panels/panels.ts';
import { parseTheatreAddress, replayPath, type Sinks } from './replay-address.ts';
import { Preparation } from './sessions/preparation.tsx';
import { findSession } from './sessions/session-list.ts';
import { Controls, StateWord } from './show/controls.tsx';
import { Deliveries } from './show/deliveries.tsx';
import type { Panel } from './show/fold.ts';
import { LiveShow } from './show/live-show.ts';
import { ReplayShow } from './show/replay-show.ts';
import type { Show, ShownStage } from './show/show.ts';
import { REPLAY_SPEED_MAX } from './show/speeds.ts';
import { Stage } from './show/stage.ts';
import { DriverCard } from './tower/driver-card.tsx';
import { Tower } from './tower/tower.tsx';
import { TowerFold } from './tower/tower-fold.ts';

const words = text.theatre;

/** The theatre: a session as it plays, replayed or live. */
export function Theatre({ id }: { readonly id: string }) {
  const { query } = useRoute();
  // A live session leads to its replay, and a replay that delivers to one that does not.
  const address = useMemo(() => parseTheatreAddress(query), [query.live, query.speed, query.sinks]);
  if (address.kind === 'live') return <Live id={id} />;
  const { speed, sinks } = address;
  return sinks === 'both' ? (
    <Delivery key={sinks} id={id} speed={speed} />
  ) : (
    <Replay key={sinks} id={id} speed={speed} sinks={sinks} />
  );
}

function Live({ id }: { readonly id: string }) {
  const [isWanted, setWanted] = useState(false);
  if (isWanted) return <LivePlay id={id} />;
  return (
    <Page title={words.live.title}>
      <div class="notice warn">
        <p>{words.live.cost}</p>
        <div class="row">
          <Button kind="primary" onClick={() => setWanted(true)}>
            {words.live.begin}
          </Button>
          <LinkButton path="/console/replay">{words.live.back}</LinkButton>
        </div>
      </div>
    </Page>
  );
}

function LivePlay({ id }: { readonly id: string }) {
  const folds = useMemo(makeFolds, []);
  const show = useMemo(() => new LiveShow(stageOf(id, folds)), []);
  useShow(show);
  return <Play title={id} show={show} replay={null} folds={folds} session={null} />;
}

/** A replay that delivers: asked for before its address was opened, or now. */
function Delivery({ id, speed }: { readonly id: string; readonly speed: number }) {
  const [isWanted, setWanted] = useState(() => takeWish(id));
  if (isWanted) return <Replay id={id} speed={speed} sinks="both" />;
  return (
    <Page title={words.deliver.title}>
      <div class="notice warn">
        <p>{words.deliver.cost}</p>
        <div class="row">
          <Button kind="primary" onClick={() => setWanted(true)}>
            {words.deliver.begin}
          </Button>
          <LinkButton path={replayPath(id, { speed, sinks: 'visual' })}>{words.start.visual}</LinkButton>
        </div>
      </div>
    </Page>
  );
}

interface ReplayProps {
  readonly id: string;
  readonly speed: number;
  readonly sinks: Sinks;
}

function Replay({ id, speed, sinks }: ReplayProps) {
  const load = useLoad((signal) => findSession(id, signal), [id]);
  if (load.kind === 'ready' && load.value !== null)
    return <Prepared session={load.value} speed={speed} sinks={sinks} />;
  return (
    <Page title={words.title} width="wide">
      <Loaded load={load}>
        {() => (
          <Empty title={words.notFound}>
            <LinkButton path="/console/replay">{words.toSessions}</LinkButton>
          </Empty>
        )}
      </Loaded>
    </Page>
  );
}

interface PreparedProps {
  readonly session: Session;
  readonly speed: number;
  readonly sinks: Sinks;
}

/** Plays the session; prepares it first. */
function Prepared({ session, speed, sinks }: PreparedProps) {
  const [isReady, setReady] = useState(session.prepared);
  if (isReady) return <ReplayPlay session={session} speed={speed} sinks={sinks} />;
  return (
    <Page title={session.name} width="wide">
      <div class="notice">
        <strong>{words.prepare.title}</strong>
        <p>{words.prepare.hint}</p>
        <Preparation sessionId={session.sessionId} isWanted onReady={() => setReady(true)} />
      </div>
    </Page>
  );
}

function ReplayPlay({ session, speed, sinks }: PreparedProps) {
  const folds = useMemo(makeFolds, []);
  const show = useMemo(() => {
    const stage = stageOf(session.sessionId, folds);
    const startMs = Date.parse(session.startDate);
    return new ReplayShow(stage, { speed, sinks, startMs }, (message) => toast({ message }));
  }, []);
  useShow(show);
  return <Play title={session.name} show={show} replay={show} folds={folds} session={session} />;
}

interface Folds {
  readonly tower: TowerFold;
  readonly head: HeadFold;
  readonly line: TimeLineFold;
  readonly panels: readonly Panel[];
}

function makeFolds(): Folds {
  return { tower: new TowerFold(), head: new HeadFold(), line: new TimeLineFold(), panels: makePanels() };
}

function stageOf(sessionId: string, { tower, head, line, panels }: Folds): ShownStage {
  const folds = [tower, head, line, ...panels.map(({ fold }) => fold)];
  return new Stage(sessionId, folds, signal(0), (draw) => requestAnimationFrame(draw));
}

function useShow(show: Show): void {
  useEffect(() => {
    show.begin();
    return () => show.leave();
  }, [show]);
}

interface PlayProps {
  readonly title: string;
  readonly show: Show;
  /** The show, if it is a replay. */
  readonly replay: ReplayShow | null;
  readonly folds: Folds;
  readonly session: Session | null;
}

function Play({ title, show, replay, folds, session }: PlayProps) {
  const selected = useSignal<string | null>(null);
  const { stage } = show;
  const state = show.state.value;
  // Of a live session the plan is known once its information has come.
  const plan = useComputed(() => {
    stage.frame.value;
    const { info } = folds.head.head;
    const startMs = session === null ? Date.parse(info?.startUtc ?? '') : Date.parse(session.startDate);
    const endMs = session === null ? Date.parse(info?.endUtc ?? '') : startMs + session.durationSeconds * 1000;
    const isRace = (info?.type ?? session?.type ?? 'Race') === 'Race' || session?.type === 'Sprint';
    const name = session === null && info !== null ? `${info.meetingName} · ${info.name}` : title;
    return JSON.stringify([Number.isNaN(startMs) ? null : startMs, Number.isNaN(endMs) ? null : endMs, isRace, name]);
  });
  const [startMs, endMs, isRace, name] = JSON.parse(plan.value) as [number | null, number | null, boolean, string];
  const run = replay?.run.value ?? null;
  const canSeek = replay !== null && run !== null && (replay.sinks === 'visual' || state.kind !== 'ended');
  const seek = canSeek ? (seconds: number): void => void replay.seek(seconds) : null;
  return (
    <Page title={name} width="wide">
      {state.kind === 'failed' && state.error.code === 'replay_running' && replay !== null && (
        <Busy onStopped={() => replay.begin()} />
      )}
      {state.kind === 'failed' && state.error.code !== 'replay_running' && (
        <Failure error={state.error} retry={() => show.begin()} />
      )}
      {state.kind === 'failed' && state.error.code === 'no_active_endpoint' && (
        <div class="row">
          <LinkButton path="/console/endpoints">{words.toEndpoints}</LinkButton>
          <LinkButton path="/console/replay">{words.toSessions}</LinkButton>
        </div>
      )}
      {state.kind === 'starting' && (
        <Late
          retry={() => {
            show.leave();
            show.begin();
          }}
        />
      )}
      <div class="theatre-head">
        <Head stage={stage} fold={folds.head} startMs={startMs} />
        {replay !== null && startMs !== null && (
          <Controls show={replay} placeSeconds={() => ((stage.atMs ?? startMs) - startMs) / 1000} />
        )}
        {replay === null && (
          <div class="row">
            {state.kind === 'playing' && <span class="badge bad">{words.state.live}</span>}
            {state.kind !== 'playing' && <StateWord state={state} />}
            {state.kind === 'ended' && (
              <LinkButton path={replayPath(stage.sessionId, { speed: REPLAY_SPEED_MAX, sinks: 'visual' })}>
                {words.live.replay}
              </LinkButton>
            )}
          </div>
        )}
        {startMs !== null && endMs !== null && endMs > startMs && (
          <TimeLine stage={stage} fold={folds.line} startMs={startMs} durationMs={endMs - startMs} onSeek={seek} />
        )}
      </div>
      <div class="theatre-stage">
        <div class="stack">
          <Tower theatre={stage} fold={folds.tower} selected={selected} isRace={isRace} />
          {replay?.sinks === 'both' && run !== null && <Deliveries runId={run.runId} />}
        </div>
        <div class="stack">
          <DriverCard theatre={stage} fold={folds.tower} selected={selected} />
          <Messages stage={stage} head={folds.head} line={folds.line} startMs={startMs} onSeek={seek} />
        </div>
        <PanelGrid theatre={stage} panels={folds.panels} />
      </div>
    </Page>
  );
}
