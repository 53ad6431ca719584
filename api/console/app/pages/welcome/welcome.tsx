// The first page: what the service does, with the demo race playing beside it.

import { useState } from 'preact/hooks';
import { signIn } from '../../data/account.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';
import { type Demo, useDemo } from './use-demo.ts';

export function Welcome() {
  const isIn = signIn.value.kind === 'in';
  return (
    <Page title={text.welcome.title} width="welcome-main">
      <div class="welcome">
        <div class="stack welcome-words">
          <p class="welcome-lead">{text.welcome.lead}</p>
          <div class="row">
            {isIn ? (
              <LinkButton kind="primary" path="/console/home">
                {text.signIn.toHome}
              </LinkButton>
            ) : (
              <LinkButton kind="primary" path="/console/sign-up">
                {text.welcome.signUp}
              </LinkButton>
            )}
            <LinkButton path="/docs/quickstart">{text.welcome.quickstart}</LinkButton>
          </div>
          <ul class="welcome-points">
            {text.welcome.points.map(([title, detail]) => (
              <li key={title}>
                <strong>{title}.</strong> <span class="soft">{detail}</span>
              </li>
            ))}
          </ul>
        </div>
        <DemoRace />
      </div>
    </Page>
  );
}

function DemoRace() {
  const [show, setShow] = useState(0);
  const demo = useDemo(show);
  return (
    <section class="card welcome-race" aria-label={text.welcome.showTitle}>
      <div class="row apart">
        <h2>{text.welcome.showTitle}</h2>
        {demo.kind === 'shown' && demo.laps > 0 && (
          <span class="badge">{text.welcome.showLap(demo.lap, demo.laps)}</span>
        )}
      </div>
      {demo.kind === 'unavailable' ? <p>{text.welcome.showBusy}</p> : <Board demo={demo} />}
      <div class="row apart small soft">
        <span>{text.welcome.showInvented}</span>
        {(demo.kind === 'unavailable' || (demo.kind === 'shown' && demo.isOver)) && (
          <Button small onClick={() => setShow(show + 1)}>
            {text.welcome.showAgain}
          </Button>
        )}
      </div>
    </section>
  );
}

function Board({ demo }: { readonly demo: Demo }) {
  const rows = demo.kind === 'shown' ? demo.rows : [];
  return (
    <div class="board-place">
      <table class="board">
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">{text.welcome.showPosition}</span>
            </th>
            <th scope="col">{text.welcome.showDriver}</th>
            <th scope="col" class="number">
              {text.welcome.showGap}
            </th>
            <th scope="col">{text.welcome.showTyre}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ number, code, team, colour, position, gap, tyre, isOut }) => (
            <tr key={number} class={isOut ? 'out' : ''}>
              <td class="number">{position}</td>
              <td>
                <span class="board-driver">
                  <span class="board-colour" style={{ background: colour }} />
                  <strong>{code}</strong>
                  <span class="board-team soft small">{team}</span>
                </span>
              </td>
              <td class="number">{gap}</td>
              <td>{tyre !== '' && <span class={`tyre tyre-${tyre.toLowerCase()}`}>{tyre.charAt(0)}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="board-message small">{demo.kind === 'shown' ? demo.message : ''}</p>
    </div>
  );
}
