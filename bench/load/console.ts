// The console in a real Chromium: its first page, a race in its theatre, and what a crowd of consoles costs deliveries.
//
// Measured:
//   first page  visits with an empty cache: until the main link answers, until the first paint, bytes of script. The first
//               visit after a start is apart: the service translates the console then.
//   theatre     a whole race at 10x with every feed and every panel in view: frames beside those of an empty page in the
//               same browser, tasks of the main thread, the heap after collections, and where the thread's time goes
//   crowd       the busiest part of a race, delivered to 25 endpoints, alone and beside --consoles consoles that watch it
//
// Not measured: a network, a graphics card (Chromium draws in software here, on the cores that it shares with the service),
// other browsers. The consoles of the crowd are no browsers: what a console costs the service is what it asks for, so they
// ask for what the theatre does, each for an account of its own (receivers/theatre-crowd.ts). An account has one replay,
// so each console has one; all show the same session.
//
// How to read: tasks are those of the page's main thread in parts of five seconds that were traced; tasks over 50 ms are
// counted over all of the race. The lags of the crowd count from the update that was least late, as in the bench `streams`.
// The one long task at the beginning of a trace is the browser's: it puts away what it showed before the page.
//
// Results on two quiet cores of an AMD EPYC virtual machine. No delivery was lost, and no page had an error.
//
//     first page, interactive                  96 ms (84 to 104); 576 ms for the first visit after a start
//     first page, compressed script            36 KB
//                                              built-in race, whole    real race, first 5 minutes at 10x
//     frames/s; of an empty page               58.2; 60.3              59.6; 60.3
//     task p99; tasks over 50 ms               12 ms; 2                12 ms; 3
//     script, layout, paint of the thread      4, 5, 14 %              4, 4, 12 %
//     heap at the start, middle, end, MiB      3.2, 5.6, 5.8           2.8, 5.5, 6.7
//     deliveries beside 100 consoles, p99      5.2 ms (4.9 to 5.7), 0.91 (0.88 to 1.09) of alone
//
// The whole real race, on a machine that others loaded at the same time: task p99 11 ms, heap 6.95 MiB in the middle and
// 7.70 at the end (1.11), 49 frames/s. With a load of its own beside it a software-drawn page loses frames first.

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, startChromium } from '../browser/chromium.ts';
import { WORK } from '../browser/main-thread-trace.ts';
import { frameP99, framesPerSecond } from '../browser/watched-page.ts';
import { BenchService } from '../engines/bench-service.ts';
import { latencyCurve, quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement, Plot } from '../suite/result.ts';
import { UsageError } from '../suite/usage-error.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { deliverBesideConsoles } from './console-crowd.ts';
import { visitFirstPage } from './console-first-page.ts';
import { watchTheatre } from './console-theatre.ts';
import { DEFAULT_RECORDING, deriveRace } from './race-slice.ts';
import { sessionOf } from './served-race.ts';

export const help = `npm run bench -- console [options]

Opens the console of a real service in a real Chromium.
  first page  --visits visits with an empty cache
  theatre     a whole race at 10x, all feeds, all panels in view: frames, tasks, heap, a profile
  crowd       --seconds of a race to 25 endpoints, alone and beside --consoles consoles, --rounds times
Lost, doubled and misordered deliveries, consoles that lost their stream and errors of pages are faults.

  --part PART         first-page, theatre or crowd (default: all three)
  --recording FOLDER  the race of the theatre: a folder of the live-timing archive (default demo, the built-in race)
  --visits N          visits of the first page (default 5)
  --watch N           at most so many seconds of the theatre (default 900)
  --consoles N        consoles of the crowd (default 100)
  --seconds N         length of a round of the crowd (default 15)
  --rounds N          rounds of the crowd (default 5)

Example: npm run bench -- console --part theatre --recording ../shared/data/archive/2025-miami-sprint`;

export const smoke = ['--visits', '1', '--watch', '2', '--consoles', '3', '--seconds', '1', '--rounds', '1'];
export const all = ['--rounds', '1'];

const PARTS = ['first-page', 'theatre', 'crowd'] as const;
type Part = (typeof PARTS)[number];

const TARGETS = {
  interactiveMs: 1_000,
  scriptBytes: 150_000,
  framesPerSecond: 55,
  taskMs: 50,
  /** What a race leaves behind is kept (laps, messages, chances), and bounded. Updates that are kept would multiply it. */
  heapEnd: 1.2,
  besideAlone: 1.1,
};
const SPEED = 10;

interface Scene {
  readonly service: BenchService;
  readonly options: Options;
  readonly measurements: Measurement[];
  readonly plots: Plot[];
  readonly faults: Record<string, number>;
  readonly progress: (line: string) => void;
}

interface Options {
  readonly recording: string;
  readonly visits: number;
  readonly watch: number;
  readonly consoles: number;
  readonly seconds: number;
  readonly rounds: number;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      part: { type: 'string' },
      recording: { type: 'string', default: 'demo' },
      visits: { type: 'string', default: '5' },
      watch: { type: 'string', default: '900' },
      consoles: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '15' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const parts = values.part === undefined ? PARTS : [partNamed(values.part)];
  const options: Options = {
    recording: values.recording,
    visits: wholeNumber('--visits', values.visits),
    watch: wholeNumber('--watch', values.watch),
    consoles: wholeNumber('--consoles', values.consoles),
    seconds: wholeNumber('--seconds', values.seconds),
    rounds: wholeNumber('--rounds', values.rounds),
  };
  if (options.recording !== 'demo' && !existsSync(options.recording))
    throw new UsageError(`--recording: there is no folder ${options.recording}; "demo" is built in`);
  const scene: Omit<Scene, 'service'> = { options, measurements: [], plots: [], faults: {}, progress };
  const service = await BenchService.start({ SHARDS: '1', TRUST_PROXY: 'true' });
  try {
    const inBrowser = parts.filter((part) => part !== 'crowd');
    if (inBrowser.length > 0) {
      const { browser, close } = await startChromium();
      try {
        for (const part of inBrowser) await (part === 'theatre' ? theatre : firstPage)({ ...scene, service }, browser);
      } finally {
        await close();
      }
    }
    if (parts.includes('crowd')) await crowd({ ...scene, service });
  } finally {
    await service.end();
  }
  const { measurements, plots, faults } = scene;
  return {
    bench: 'console',
    parameters: { parts: parts.join(' '), ...options, recording: basename(options.recording) },
    measurements,
    plots,
    faults,
    notes: ['Chromium draws in software, on the cores that it shares with the service.'],
  };
}

function partNamed(name: string): Part {
  const part = PARTS.find((part) => part === name);
  if (part === undefined) throw new UsageError(`--part: there is no part "${name}"; there are ${PARTS.join(', ')}`);
  return part;
}

async function firstPage({ service, options, measurements, progress }: Scene, browser: Browser): Promise<void> {
  const { address } = service.process;
  const first = await visitFirstPage(browser, address);
  const visits = [];
  for (let visit = 0; visit < options.visits; visit++) visits.push(await visitFirstPage(browser, address));
  const all = (name: string, unit: Measurement['unit'], samples: readonly number[], target?: number): void =>
    void measurements.push({ name, unit, better: 'lower', samples, ...(target !== undefined && { target }) });
  const interactive = visits.map(({ interactiveMs }) => interactiveMs);
  all('first page, interactive', 'ms', interactive, TARGETS.interactiveMs);
  all(
    'first page, first paint',
    'ms',
    visits.map(({ firstPaintMs }) => firstPaintMs),
  );
  all('first page, interactive, first visit of all', 'ms', [first.interactiveMs]);
  all(
    'first page, compressed script',
    'B',
    visits.map(({ scriptBytes }) => scriptBytes),
    TARGETS.scriptBytes,
  );
  all(
    'first page, compressed styles',
    'B',
    visits.map(({ styleBytes }) => styleBytes),
  );
  progress(`first page: interactive after ${interactive.map((ms) => ms.toFixed(0)).join(', ')} ms`);
}

async function theatre({ service, options, measurements, plots, faults, progress }: Scene, browser: Browser) {
  const sessionId = await sessionOf(service, options.recording);
  const cookie = await service.signIn(service.accountId);
  const { address } = service.process;
  const watched = await watchTheatre(browser, {
    address,
    cookie,
    sessionId,
    speed: SPEED,
    msMax: options.watch * 1_000,
    progress,
  });
  const { emptyFrames, frames, longTasks, heaps, workMs, tracedMs } = watched;
  const tasks = watched.taskMs.toSorted((a, b) => a - b);
  const empty = framesPerSecond(emptyFrames);
  const add = (name: string, unit: Measurement['unit'], value: number, target?: number, better?: 'higher'): void =>
    void measurements.push({
      name: `theatre, ${name}`,
      unit,
      better: better ?? 'lower',
      samples: [value],
      ...(target !== undefined && { target }),
    });
  add('frames', '/s', framesPerSecond(frames), Math.min(TARGETS.framesPerSecond, empty), 'higher');
  add('frames of an empty page', '/s', empty, undefined, 'higher');
  add('frame p99', 'ms', frameP99(frames));
  add('frame p99 of an empty page', 'ms', frameP99(emptyFrames));
  add('task p99', 'ms', quantile(tasks, 0.99), TARGETS.taskMs);
  add('longest task of those traced', 'ms', tasks.at(-1)!);
  add('tasks over 50 ms', 'count', longTasks.length);
  for (const work of WORK) add(`main thread, ${work}`, 'share', workMs.get(work)! / tracedMs);
  const [start, middle, end] = [heaps[0]!, heaps[Math.floor(heaps.length / 2)]!, heaps.at(-1)!];
  add('heap at the start', 'MiB', start.mib);
  add('heap in the middle', 'MiB', middle.mib);
  add('heap at the end', 'MiB', end.mib);
  add('heap at the end, relative to the middle', 'x', end.mib / middle.mib, TARGETS.heapEnd);
  add('elements at the end', 'count', end.elements);
  faults['errors of pages'] = watched.errors.length;
  for (const error of watched.errors) progress(error);
  const seconds = heaps.map(({ atMs }) => atMs / 1_000);
  plots.push({
    title: 'Heap of the theatre after collections',
    xTitle: 'Seconds',
    yTitle: 'MiB',
    xScale: 'linear',
    yScale: 'linear',
    series: [{ name: sessionId, x: seconds, y: heaps.map(({ mib }) => mib) }],
  });
  plots.push({
    title: 'Tasks of the main thread of the theatre',
    xTitle: 'One in so many tasks is longer',
    yTitle: 'ms',
    xScale: 'log',
    yScale: 'log',
    series: [latencyCurve(sessionId, tasks)],
  });
}

async function crowd({ service, options, measurements, plots, faults, progress }: Scene): Promise<void> {
  const { consoles, rounds, seconds } = options;
  const race = deriveRace(DEFAULT_RECORDING);
  const sessionId = await sessionOf(service, DEFAULT_RECORDING);
  const cookies: string[] = [];
  for (let made = 0; made < consoles; made++) {
    const { accountId } = await service.addAccount(`console-${made}@example.com`, 'custom');
    cookies.push(await service.signIn(accountId));
  }
  Object.assign(faults, { lost: 0, doubled: 0, misordered: 0, 'consoles cut off': 0 });
  const p99 = { alone: [] as number[], beside: [] as number[] };
  const p50 = { alone: [] as number[], beside: [] as number[] };
  const last = new Map<string, Float64Array>();
  // The first play of a service warms it up.
  await deliverBesideConsoles(service, race, sessionId, 1_000, []);
  for (let round = 1; round <= rounds; round++) {
    // Each round begins with the other one.
    for (const kind of round % 2 === 1 ? (['alone', 'beside'] as const) : (['beside', 'alone'] as const)) {
      const watching = kind === 'alone' ? [] : cookies;
      const { lagsMs, lost, doubled, misordered, cutOff } = await deliverBesideConsoles(
        service,
        race,
        sessionId,
        seconds * 1_000,
        watching,
      );
      faults.lost! += lost;
      faults.doubled! += doubled;
      faults.misordered! += misordered;
      faults['consoles cut off']! += cutOff;
      p99[kind].push(quantile(lagsMs, 0.99));
      p50[kind].push(quantile(lagsMs, 0.5));
      last.set(kind, lagsMs);
      progress(`round ${round} of ${rounds}, ${kind}: lag p99 ${p99[kind].at(-1)!.toFixed(2)} ms`);
    }
  }
  const beside = `beside ${consoles} consoles`;
  const lag = (name: string, samples: readonly number[]): void =>
    void measurements.push({ name, unit: 'ms', better: 'lower', samples });
  lag('deliveries alone, lag p50', p50.alone);
  lag(`deliveries ${beside}, lag p50`, p50.beside);
  lag('deliveries alone, lag p99', p99.alone);
  lag(`deliveries ${beside}, lag p99`, p99.beside);
  measurements.push({
    name: `deliveries ${beside}, lag p99 relative to alone`,
    unit: 'x',
    better: 'lower',
    samples: p99.beside.map((ms, round) => ms / p99.alone[round]!),
    target: TARGETS.besideAlone,
  });
  plots.push({
    title: `Lag of deliveries in the last round`,
    xTitle: 'One in so many deliveries is later',
    yTitle: 'ms',
    xScale: 'log',
    yScale: 'log',
    series: [...last].map(([kind, lags]) => latencyCurve(kind === 'alone' ? 'alone' : beside, lags)),
  });
}
