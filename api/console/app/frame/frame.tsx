// What surrounds the pages, and which page an address shows.

import { useEffect, useRef } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy as lazily, Route, Router, useLocation } from 'preact-iso';
import { to } from '../address.ts';
import { signIn, signOut } from '../data/account.ts';
import { Welcome } from '../pages/welcome/welcome.tsx';
import { Button, LinkButton } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { ThemeButton } from '../parts/theme-button.tsx';
import { Toasts, toast } from '../parts/toasts.tsx';
import { text } from '../text/text.ts';
import { guarded, subject } from './guarded.tsx';
import { Mark } from './mark.tsx';

// Loaded when they are first shown.
const lazy = <Shown,>(load: () => Promise<Shown>): Shown =>
  lazily(() => load().catch(() => Unloaded as unknown as Shown)) as unknown as Shown;
const SignInPage = lazy(() => import('../pages/sign-in/sign-in-page.tsx').then((file) => file.SignInPage));
const SignUpPage = lazy(() => import('../pages/sign-in/sign-up-page.tsx').then((file) => file.SignUpPage));
const Home = lazy(() => import('../pages/home/home.tsx').then((file) => file.Home));
const Endpoints = lazy(() => import('../pages/endpoints/endpoints.tsx').then((file) => file.Endpoints));
const NewEndpoint = lazy(() => import('../pages/endpoints/new-endpoint.tsx').then((file) => file.NewEndpoint));
const Endpoint = lazy(() => import('../pages/endpoints/endpoint.tsx').then((file) => file.Endpoint));
const Sessions = lazy(() => import('../pages/theatre/sessions.tsx').then((file) => file.Sessions));
const Theatre = lazy(() => import('../pages/theatre/theatre.tsx').then((file) => file.Theatre));
const Calendar = lazy(() => import('../pages/calendar/calendar.tsx').then((file) => file.Calendar));
const Preview = lazy(() => import('../pages/calendar/preview.tsx').then((file) => file.Preview));
const Fantasy = lazy(() => import('../pages/calendar/fantasy.tsx').then((file) => file.Fantasy));
const Usage = lazy(() => import('../pages/usage/usage.tsx').then((file) => file.Usage));
const Developers = lazy(() => import('../pages/developers/developers.tsx').then((file) => file.Developers));

const PAGES = [
  ['/', Welcome],
  ['/console/sign-in', SignInPage],
  ['/console/sign-up', SignUpPage],
  ['/console/home', guarded(Home)],
  ['/console/endpoints', guarded(Endpoints)],
  ['/console/endpoints/new', guarded(NewEndpoint)],
  ['/console/endpoints/:id', subject(Endpoint)],
  ['/console/replay', guarded(Sessions)],
  ['/console/replay/:id', subject(Theatre)],
  ['/console/calendar', guarded(Calendar)],
  ['/console/calendar/:id', subject(Preview)],
  ['/console/fantasy', guarded(Fantasy)],
  ['/console/usage', guarded(Usage)],
  ['/console/developers', guarded(Developers)],
] as const;

const NAVIGATION = [
  ['/console/home', text.frame.home],
  ['/console/endpoints', text.frame.endpoints],
  ['/console/replay', text.frame.replay],
  ['/console/calendar', text.frame.calendar],
  ['/console/fantasy', text.frame.fantasy],
  ['/console/usage', text.frame.usage],
  ['/console/developers', text.frame.developers],
] as const;

/** Links to these are the browser's own: the documentation is no page of the console. */
const SCOPE = new RegExp(`^${to('').replaceAll(/[^\w/]/g, '\\$&')}/(?:console/[^.]*)?$`);

export function Frame() {
  return (
    <LocationProvider scope={SCOPE}>
      <a class="skip" href="#main">
        {text.frame.skip}
      </a>
      <Header />
      <ErrorBoundary>
        <Pages />
      </ErrorBoundary>
      <Toasts />
    </LocationProvider>
  );
}

function Pages() {
  return (
    <Router>
      {PAGES.map(([path, component]) => (
        <Route key={path} path={to(path)} component={component} />
      ))}
      <Route default component={NotFound} />
    </Router>
  );
}

function Header() {
  const { path } = useLocation();
  const isIn = signIn.value.kind === 'in';
  return (
    <header class="header">
      <div class="header-inner">
        <a class="brand" href={to(isIn ? '/console/home' : '/')}>
          <Mark />
          <span class="brand-name">{text.frame.brand}</span>
        </a>
        {isIn && <Navigation path={path} />}
        <div class="header-end">
          <a href={to('/docs')}>{text.frame.docs}</a>
          <ThemeButton />
          {isIn && (
            <Button small onClick={() => void leave()}>
              {text.frame.signOut}
            </Button>
          )}
          {!isIn && (
            // They have their place before it is known whether they are needed.
            <span class={signIn.value.kind === 'asking' ? 'header-ways unknown' : 'header-ways'}>
              <LinkButton small path="/console/sign-in">
                {text.frame.signIn}
              </LinkButton>
              <LinkButton small kind="primary" path="/console/sign-up">
                {text.frame.signUp}
              </LinkButton>
            </span>
          )}
        </div>
      </div>
    </header>
  );
}

function Navigation({ path }: { readonly path: string }) {
  const names = useRef<HTMLElement>(null);
  useEffect(() => {
    names.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return (
    <nav class="nav" ref={names} aria-label={text.frame.navigation}>
      {NAVIGATION.map(([target, label]) => (
        <a key={target} href={to(target)} aria-current={path.startsWith(to(target)) ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

async function leave(): Promise<void> {
  try {
    await signOut();
  } catch (failure) {
    toast({ message: (failure as Error).message });
  }
}

/** In place of a page whose script did not come. It is asked for again with the whole document. */
function Unloaded() {
  return (
    <Page title={text.parts.unloaded} width="form">
      <p>{text.parts.unloadedHint}</p>
      <div class="row">
        <Button kind="primary" onClick={() => location.reload()}>
          {text.parts.loadAgain}
        </Button>
      </div>
    </Page>
  );
}

function NotFound() {
  return (
    <Page title={text.frame.notFound} width="form">
      <p>{text.frame.notFoundHint}</p>
      <div class="row">
        <LinkButton path="/">{text.frame.toHome}</LinkButton>
      </div>
    </Page>
  );
}
