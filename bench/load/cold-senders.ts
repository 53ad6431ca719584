// The two senders of the bench `cold`: the engine, and a bare TLS loop that it is compared with.

import { ColdSender } from '../engines/cold-sender.ts';
import { TRUSTING_IT } from '../receivers/localhost-certificate.ts';

export const WHO = ['engine', 'bare loop'] as const;
export type Who = (typeof WHO)[number];

const FILES: Readonly<Record<Who, URL>> = {
  engine: new URL('../engines/cold-engine-process.ts', import.meta.url),
  'bare loop': new URL('../peers/tls-loop.ts', import.meta.url),
};

/** Starts both, each in its own process, and stops them in any case. `env` is added to their environment. */
export async function withColdSenders(
  env: NodeJS.ProcessEnv,
  use: (senders: Readonly<Record<Who, ColdSender>>) => Promise<void>,
): Promise<void> {
  const start = (who: Who): Promise<ColdSender> => ColdSender.start(FILES[who], { ...TRUSTING_IT, ...env });
  const engine = await start('engine');
  try {
    const loop = await start('bare loop');
    try {
      await use({ engine, 'bare loop': loop });
    } finally {
      await loop.end();
    }
  } finally {
    await engine.end();
  }
}
