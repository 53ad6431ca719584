// The console: its page, the files of it, the demo race on its first page, and what a signed-in page needs beside the API.

import Type from 'typebox';
import type { AccountStore } from '#api/accounts/account-store.ts';
import type { SignIns } from '#api/accounts/sign-ins.ts';
import { ApiError } from '#api/http/api-error.ts';
import { sessionCookie } from '#api/http/cookie.ts';
import { type Operation, publicOperation, type Reply, reply, sessionOperation } from '#api/http/operation.ts';
import { type Plan, TERMS } from '#api/plans/plan.ts';
import { hashOfToken } from '#api/tokens/secret-token.ts';
import { CONSOLE_TOKEN_LIFETIME_S, type TokenAuthority } from '#api/tokens/token-authority.ts';
import type { Clock } from '#engine/base/clock.ts';
import { escapeHtml } from '#engine/base/html-escape.ts';
import type { PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import { ConsoleAccount, ConsoleToken } from '#schemas/http/console.ts';
import { text } from './app/text/text.ts';
import { chosenEncoding } from './chosen-encoding.ts';
import { CONSOLE_ICON } from './console-icon.ts';
import { consoleShell, type ShellTexts } from './console-shell.ts';
import { DemoShow } from './demo-show.ts';
import { type BuiltConsole, buildConsole, tagOf } from './esbuild-console.ts';

export interface ConsoleRouteParts {
  readonly accounts: Pick<AccountStore, 'findShown'>;
  readonly authority: Pick<TokenAuthority, 'issueForConsole'>;
  readonly library: Pick<PlaybackLibrary, 'open' | 'status' | 'prepare'>;
  readonly signIns: Pick<SignIns, 'find'>;
  readonly clock: Clock;
  /** Whether customers reach the service by https. */
  readonly https: boolean;
  /** Whether payments are set up. */
  readonly sellsPlans: boolean;
  /** Where customers reach the service, without `/v1`. */
  readonly publicUrl: string | undefined;
}

export interface ConsoleRoutes {
  /** The page, at every address of the console. */
  readonly page: Operation;
  readonly file: Operation;
  readonly icon: Operation;
  readonly demo: Operation;
  readonly token: Operation;
  readonly account: Operation;
}

type Document = Extract<Reply<unknown>, { readonly kind: 'document' }>;

/** How long browsers cache the icon. */
const ICON_AGE_S = 86_400;

export function consoleRoutes(parts: ConsoleRouteParts): ConsoleRoutes {
  const { accounts, authority, signIns, library, clock, https, sellsPlans, publicUrl } = parts;
  const base = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  const texts: ShellTexts = {
    title: text.frame.brand,
    description: text.frame.description,
    withoutScript: text.frame.withoutScript(`${escapeHtml(base)}/docs`),
  };
  const show = new DemoShow(library, clock);
  // Made when the first visitor comes: most processes, those of tests above all, have none.
  let building: Promise<BuiltConsole> | null = null;
  const built = (): Promise<BuiltConsole> => {
    building ??= buildConsole('console').catch((error: unknown) => {
      building = null;
      throw error;
    });
    return building;
  };
  const undocumented = { answer: Type.Unknown(), undocumented: true as const };

  return {
    page: publicOperation(
      { summary: 'Show the console', ...undocumented, reads: ['if-none-match'] },
      async ({ headers }) => {
        const content = consoleShell(await built(), base, texts);
        const etag = tagOf(content);
        if (headers['if-none-match']!.includes(etag)) return { kind: 'unchanged', etag };
        return { kind: 'document', contentType: 'text/html; charset=utf-8', content, strict: true, etag };
      },
    ),

    file: publicOperation(
      { summary: 'Serve a file of the console', ...undocumented, reads: ['accept-encoding'] },
      async ({ params, headers }): Promise<Document> => {
        const file = (await built()).files.get(params.subject!);
        if (file === undefined) throw new ApiError('not_found', 'The console has changed: load the page again.');
        const head = { kind: 'document', contentType: file.contentType, strict: true, immutable: true } as const;
        return { ...head, ...chosenEncoding(file, headers['accept-encoding']!) };
      },
    ),

    icon: publicOperation({ summary: "Serve the console's icon", ...undocumented }, async () => ({
      kind: 'document',
      contentType: 'image/svg+xml',
      content: CONSOLE_ICON,
      strict: true,
      maxAgeS: ICON_AGE_S,
    })),

    demo: publicOperation(
      { summary: 'Show the demo race to visitors', ...undocumented, statuses: [], events: true, startsSomething: true },
      async ({ clientIp }) => ({ kind: 'events', open: await show.admit(clientIp) }),
    ),

    token: sessionOperation(
      {
        summary: 'Get a token for a page of the console',
        answer: ConsoleToken,
        undocumented: true,
        refuses: ['rate_limit_exceeded'],
      },
      async ({ caller, sessionToken }) => {
        const token = await authority.issueForConsole(caller.accountId, hashOfToken(sessionToken));
        return reply({ access_token: token, token_type: 'Bearer' as const, expires_in: CONSOLE_TOKEN_LIFETIME_S });
      },
    ),

    // Public, because browsers report every 401 as an error, and a visitor without an account is none.
    account: publicOperation(
      {
        summary: 'Show the signed-in account',
        answer: ConsoleAccount,
        undocumented: true,
        reads: ['cookie'],
        takesTurns: true,
        confidential: true,
      },
      async ({ headers }) => {
        const session = sessionCookie(headers.cookie!, https);
        const caller = session === null ? null : await signIns.find(session).catch(unlessSignedOut);
        const shown = caller === null ? null : await accounts.findShown(caller.accountId);
        if (caller === null || shown === null) return reply({ data: null });
        const { accountId, plan } = caller;
        return reply({ data: { accountId, ...shown, plan, terms: termsOf(plan), sellsPlans } });
      },
    ),
  };
}

function unlessSignedOut(error: unknown): null {
  if (error instanceof ApiError && error.code === 'not_signed_in') return null;
  throw error;
}

/** JSON has no infinity. */
const finite = (count: number): number | null => (Number.isFinite(count) ? count : null);

function termsOf(plan: Plan) {
  const terms = TERMS[plan];
  return {
    opens: [...terms.opens],
    endpoints: terms.endpoints,
    feedsPerEndpoint: finite(terms.feedsPerEndpoint),
    deliveriesPerMonth: finite(terms.deliveriesPerMonth),
    past: terms.past,
    streams: terms.streams,
    requestsPerHour: terms.requestsPerHour,
    simulateSlots: finite(terms.simulateSlots),
    previews: terms.previews,
    fantasy: terms.fantasy,
  };
}
