// What developers need: credentials, programs to begin with, and where to read on.

import { useState } from 'preact/hooks';
import { SERVICE_URL, to } from '../../address.ts';
import { signIn } from '../../data/account.ts';
import { CopyBlock } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { text } from '../../text/text.ts';
import { Credentials } from './credentials.tsx';
import { environment, LANGUAGES, type Language, LISTEN, mcpConfiguration, snippet } from './snippets.ts';

const t = text.developers;

export function Developers() {
  const state = signIn.value;
  if (state.kind !== 'in') return null;
  const { clientId } = state.account;
  return (
    <Page title={t.title}>
      <Credentials clientId={clientId} />
      <Code clientId={clientId} />
      <div class="developer-pair">
        <Listen />
        <Assistants clientId={clientId} />
      </div>
      <Docs />
    </Page>
  );
}

function Code({ clientId }: { readonly clientId: string }) {
  const [language, setLanguage] = useState<Language>('curl');
  const { code, file, run } = snippet(language, clientId, SERVICE_URL);
  const needs = t.needs[language];
  return (
    <section class="card">
      <h2>{t.codeTitle}</h2>
      <p>{t.codeLead}</p>
      <CopyBlock label={t.environment} value={environment(clientId, SERVICE_URL)} />
      <p class="small soft">{t.environmentHint}</p>
      <Tabs
        label={t.language}
        tabs={LANGUAGES.map((name) => ({ name, label: t.languages[name] }))}
        chosen={language}
        onChoose={setLanguage}
      >
        <div class="stack tight">
          {needs !== null && <p class="small">{needs}</p>}
          <CopyBlock label={t.code(t.languages[language])} value={code} />
          {file !== null && run !== null && (
            <p class="small">
              {t.save(file)} <code>{run}</code>
            </p>
          )}
        </div>
      </Tabs>
    </section>
  );
}

function Listen() {
  return (
    <section class="card">
      <h2>{t.listenTitle}</h2>
      <p>{t.listenLead}</p>
      <CopyBlock label={t.listenCommand} value={LISTEN} />
      <a href={to('/docs/listen')}>{t.listenDocs}</a>
    </section>
  );
}

function Assistants({ clientId }: { readonly clientId: string }) {
  return (
    <section class="card">
      <h2>{t.mcpTitle}</h2>
      <p>{t.mcpLead}</p>
      <CopyBlock label={t.mcpConfiguration} value={mcpConfiguration(clientId, SERVICE_URL)} />
      <a href={to('/docs/assistants')}>{t.mcpDocs}</a>
    </section>
  );
}

function Docs() {
  return (
    <section class="card">
      <h2>{t.docsTitle}</h2>
      <ul class="developer-docs">
        {t.docs.map(([path, label, about]) => (
          <li key={path}>
            <a href={to(path!)}>{label}</a> <span class="small soft">{about}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
