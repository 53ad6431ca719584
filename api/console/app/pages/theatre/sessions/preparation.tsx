// The preparation of a session: asked for once, then followed until it is ready.

import { useEffect, useState } from 'preact/hooks';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../../data/service.ts';
import { asError } from '../../../data/use-load.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/loaded.tsx';
import { text } from '../../../text/text.ts';

const words = text.theatre.prepare;
const EVERY_MS = 1_000;

type Progress =
  | { readonly kind: 'idle' }
  | { readonly kind: 'preparing'; readonly share: number }
  /** The recording cannot be prepared. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'refused'; readonly error: SlipstreamError };

export interface PreparationProps {
  readonly sessionId: string;
  /** Begins by itself. */
  readonly isWanted?: boolean;
  readonly onReady: () => void;
}

export function Preparation({ sessionId, isWanted = false, onReady }: PreparationProps) {
  const [asked, setAsked] = useState(isWanted ? 1 : 0);
  const [progress, setProgress] = useState<Progress>({ kind: 'idle' });
  useEffect(() => {
    if (asked === 0) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const options = { signal: leaving.signal };
    const follow = async (isFirst: boolean): Promise<void> => {
      try {
        const { status, progress: share } = isFirst
          ? await service.prepareSession({ sessionId }, options)
          : await service.getPreparation({ session: sessionId }, options);
        if (status === 'ready') return onReady();
        // A service that was started anew meanwhile knows of none.
        if (status !== 'preparing') return setProgress({ kind: 'broken' });
        setProgress({ kind: 'preparing', share });
        timer = setTimeout(() => void follow(false), EVERY_MS);
      } catch (failure) {
        if (!leaving.signal.aborted) setProgress({ kind: 'refused', error: asError(failure) });
      }
    };
    setProgress({ kind: 'preparing', share: 0 });
    void follow(true);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [asked, sessionId]);

  const again = (): void => setAsked(asked + 1);
  switch (progress.kind) {
    case 'idle':
      return (
        <Button small onClick={again}>
          {words.action}
        </Button>
      );
    case 'preparing':
      return (
        <label class="preparation">
          <span class="small">
            {words.progress} {words.percent(progress.share)}
          </span>
          <progress max={1} value={progress.share} />
        </label>
      );
    case 'broken':
      return (
        <div class="notice bad" role="alert">
          <p>{words.failed}</p>
          <Button onClick={again}>{text.parts.tryAgain}</Button>
        </div>
      );
    case 'refused':
      return <Failure error={progress.error} retry={again} />;
  }
}
