// GET /v1/preview...: session previews, in full or, on the Free plan, only the headline.

import { bearerOperation, type Caller, type Operation, reply } from '#api/http/operation.ts';
import { TERMS } from '#api/plans/plan.ts';
import { PreviewAnswer, PreviewList } from '#schemas/http/previews.ts';
import type { Previews, SessionPreview } from './previews.ts';

export function previewRoutes(previews: Previews): { readonly upcoming: Operation; readonly get: Operation } {
  return {
    upcoming: bearerOperation(
      { summary: 'List the previews of upcoming sessions', answer: PreviewList, takesTurns: true },
      async ({ caller }) => {
        const { previews: all, message } = await previews.upcoming();
        return reply({ data: { previews: all.map((preview) => viewFor(caller, preview)), message } });
      },
    ),

    get: bearerOperation(
      { summary: 'Read the preview of a session', answer: PreviewAnswer, takesTurns: true, refuses: ['not_available'] },
      async ({ caller, params }) => reply({ data: viewFor(caller, await previews.of(params.sessionId!)) }),
    ),
  };
}

function viewFor({ plan }: Caller, preview: SessionPreview) {
  if (TERMS[plan].previews === 'full') return { ...preview, view: 'full' as const };
  const {
    winProbability: _win,
    qualifyingProbability: _qualifying,
    expectedStrategy: _strategy,
    circuitIntelligence: _circuit,
    championshipForm: _form,
    ...rest
  } = preview;
  return { ...rest, view: 'headline' as const };
}
