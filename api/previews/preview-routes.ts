// GET /v1/preview...: what the models expect of sessions to come. As long as there is no model there is no preview: the
// list is empty, and each single one is not available.

import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { PreviewAnswer, PreviewList } from '#schemas/http/previews.ts';

export function previewRoutes(): { readonly upcoming: Operation; readonly get: Operation } {
  return {
    upcoming: bearerOperation({ summary: 'List the previews of upcoming sessions', answer: PreviewList }, async () =>
      reply({ data: { previews: [] } }),
    ),

    get: bearerOperation(
      { summary: 'Read the preview of a session', answer: PreviewAnswer, refuses: ['not_available'] },
      async () => {
        throw new ApiError(
          'not_available',
          'There is no preview of this session: GET /v1/preview/upcoming lists them.',
        );
      },
    ),
  };
}
