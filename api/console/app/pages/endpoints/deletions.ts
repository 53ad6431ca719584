// Endpoints that are being deleted: the request is sent after a few seconds in which it can be taken back, or at once
// when the window is left.

import { signal } from '@preact/signals';
import { SERVICE_URL } from '../../address.ts';
import { ask, service } from '../../data/service.ts';
import { asError } from '../../data/use-load.ts';
import { toast } from '../../parts/toasts.tsx';
import { text } from '../../text/text.ts';

const UNDO_MS = 8_000;

/** Ids of endpoints that will be deleted, or have been. */
export const deleted = signal<ReadonlySet<string>>(new Set());

export async function deleteLater(webhookId: string, name: string): Promise<void> {
  mark(webhookId, true);
  // The way out for a window that closes cannot wait for a token.
  const token = await ask<{ readonly access_token: string }>('POST', '/console/token').catch(() => null);
  const timer = setTimeout(() => void finish(), UNDO_MS);
  const hasLeft = (): void => {
    stop();
    void fetch(`${SERVICE_URL}/v1/webhooks/${encodeURIComponent(webhookId)}`, {
      method: 'DELETE',
      keepalive: true,
      headers: { authorization: `Bearer ${token?.access_token ?? ''}` },
    });
  };
  addEventListener('pagehide', hasLeft, { once: true });
  const stop = (): void => {
    clearTimeout(timer);
    removeEventListener('pagehide', hasLeft);
    takeBack();
  };
  const takeBack = toast(
    {
      message: text.endpoints.deleting(name),
      action: {
        label: text.endpoints.undo,
        run: () => {
          stop();
          mark(webhookId, false);
        },
      },
    },
    UNDO_MS,
  );
  const finish = async (): Promise<void> => {
    stop();
    try {
      await service.deleteWebhook({ webhookId });
      toast({ message: text.endpoints.isDeleted(name) });
    } catch (failure) {
      mark(webhookId, false);
      toast({ message: text.endpoints.notDeleted(name, asError(failure).message) });
    }
  };
}

function mark(webhookId: string, isDeleted: boolean): void {
  const others = [...deleted.value].filter((id) => id !== webhookId);
  deleted.value = new Set(isDeleted ? [...others, webhookId] : others);
}
