// The account's one replay is another one: it can be stopped from here.

import { useState } from 'preact/hooks';
import type { SlipstreamError } from '#api/client/slipstream-error.ts';
import { service } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';

const words = text.theatre.busy;
/** An account has one replay; the others of the list are resends. */
const RUNS = 20;

export function Busy({ onStopped }: { readonly onStopped: () => void }) {
  const [error, setError] = useState<SlipstreamError | null>(null);
  const stop = async (): Promise<void> => {
    try {
      const lists = await Promise.all(
        (['running', 'paused'] as const).map((state) => service.listRuns({ state, limit: RUNS })),
      );
      const run = lists.flatMap(({ runs }) => runs).find(({ kind }) => kind === 'replay');
      if (run !== undefined) await service.stopRun({ runId: run.runId });
      onStopped();
    } catch (failure) {
      setError(asError(failure));
    }
  };
  return (
    <div class="notice warn" role="alert">
      <strong>{words.title}</strong>
      <p>{words.hint}</p>
      {error !== null && <Problem error={error} />}
      <Button onClick={() => void stop()}>{words.stop}</Button>
    </div>
  );
}
