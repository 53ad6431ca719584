// The command line and the environment of `listen`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '#workers/admin/command.ts';
import { listenCommand } from '#workers/listen/listen-command.ts';
import { readListenSettings } from '#workers/listen/listen-settings.ts';

const ENV = { SLIPSTREAM_CLIENT_ID: 'cli_1', SLIPSTREAM_CLIENT_SECRET: 'not-a-secret' };
const TO = ['--forward-to', 'http://localhost:3000/hook'];

test('without options: whatever is live, of the service on this machine, to the URL', () => {
  const { destination, ...settings } = readListenSettings(TO, ENV);
  assert.deepEqual(settings, {
    baseUrl: 'http://localhost:8080/v1',
    clientId: 'cli_1',
    clientSecret: 'not-a-secret',
    session: 'live',
    speed: null,
    selection: {
      feeds: undefined,
      eventTypes: undefined,
      drivers: undefined,
      driverNumbers: undefined,
      constructors: undefined,
      positionMin: undefined,
      positionMax: undefined,
      after: undefined,
    },
  });
  assert.ok(destination.kind === 'forward' && destination.secret === null);
  assert.equal(destination.url.href, 'http://localhost:3000/hook');
});

test('options choose the session, its pace, its part and its filters', () => {
  const args =
    '--print --session demo-race --speed 2.5 --after 7 --feeds timing.*,lap.count --drivers VER,HAM --driver-numbers 1 ' +
    '--constructors ferrari --position-min 1 --position-max 10 --url https://api.example.com/v1 --client-id cli_2';
  const settings = readListenSettings(args.split(' '), ENV);
  assert.deepEqual(
    [settings.session, settings.speed, settings.baseUrl],
    ['demo-race', 2.5, 'https://api.example.com/v1'],
  );
  assert.deepEqual([settings.clientId, settings.destination], ['cli_2', { kind: 'print' }]);
  assert.deepEqual(settings.selection, {
    feeds: ['timing.*', 'lap.count'],
    eventTypes: undefined,
    drivers: ['VER', 'HAM'],
    driverNumbers: ['1'],
    constructors: ['ferrari'],
    positionMin: 1,
    positionMax: 10,
    after: 7,
  });
});

test('the address of the service is that of the API, with /v1 or without', () => {
  for (const url of ['https://api.example.com', 'https://api.example.com/', 'https://api.example.com/v1/'])
    assert.equal(readListenSettings(['--print', '--url', url], ENV).baseUrl, 'https://api.example.com/v1');
});

test('race events alone mean their feed alone; with feeds they narrow it', () => {
  const feedsOf = (...args: string[]) => readListenSettings(['--print', ...args], ENV).selection.feeds;
  assert.deepEqual(feedsOf('--events', 'overtake'), ['events.race']);
  assert.deepEqual(feedsOf('--events', 'overtake', '--feeds', '*'), ['*']);
});

test('what is wrong is refused by its name, and secrets only come from the environment', () => {
  const secret = { SLIPSTREAM_WEBHOOK_SECRET: 'whsec_short' };
  const wrong: readonly (readonly [
    args: readonly string[],
    message: RegExp,
    env?: Readonly<Record<string, string>>,
  ])[] = [
    [[], /either --forward-to URL or --print/],
    [[...TO, '--print'], /either --forward-to URL or --print/],
    [['--forward-to', 'localhost:3000'], /--forward-to must be an address such as/],
    [['--forward-to', 'hook'], /--forward-to must be an address such as/],
    [['--forward-to', 'http://me:pass@localhost/'], /--forward-to must have no user name/],
    [['--print', '--speed', '2'], /--speed is for recorded sessions/],
    [['--print', '--session', 'demo-race', '--speed', 'fast'], /--speed must be a number from 0.1 to 10/],
    [['--print', '--session', 'demo-race', '--speed', '11'], /--speed must be a number from 0.1 to 10/],
    [['--print', '--session', 'demo-race', '--speed', '0'], /--speed must be a number from 0.1 to 10/],
    [['--print', '--after', '3'], /--after is a place in one session/],
    [['--print', '--session', 'demo-race', '--after', '-3'], /--after/],
    [['--print', '--position-min', 'first'], /--position-min must be a position/],
    [['--print', '--position-min', '0'], /--position-min must be a position, 1 to 99/],
    [['--print', '--position-max', '00'], /--position-max must be a position, 1 to 99/],
    [['--print', '--feeds', ''], /--feeds is empty/],
    [['--print', '--client-secret', 'x'], /client-secret/],
    [['--print', '--url', 'localhost:8080'], /SLIPSTREAM_URL or --url must be the http or https address/],
    [['--print', '--url', 'https://me:pass@api.example.com'], /must be .* without user/],
    [['--print', '--print'], /--print is given more than once/],
    [['--print'], /SLIPSTREAM_CLIENT_ID is missing/, { SLIPSTREAM_CLIENT_ID: '' }],
    [['--print'], /SLIPSTREAM_CLIENT_SECRET is missing/, { SLIPSTREAM_CLIENT_SECRET: '' }],
    [TO, /SLIPSTREAM_WEBHOOK_SECRET must be whsec_/, secret],
  ];
  for (const [args, message, env] of wrong) {
    assert.throws(
      () => readListenSettings(args, { ...ENV, ...env }),
      (error) => error instanceof UsageError && message.test(error.message) && !/short|pass@/.test(error.message),
      `${args}`,
    );
  }
});

test('help names every option and setting, and fits a terminal', () => {
  const { help } = listenCommand('npx slipstream-client listen');
  const options =
    'forward-to print session speed after feeds events drivers driver-numbers constructors position-min position-max url client-id';
  for (const option of options.split(' ')) assert.ok(help.includes(`--${option}`), option);
  const settings = 'URL CLIENT_ID CLIENT_SECRET WEBHOOK_SECRET';
  for (const setting of settings.split(' ')) assert.ok(help.includes(`SLIPSTREAM_${setting}`), setting);
  assert.deepEqual(
    help.split('\n').filter((line) => line.length > 125),
    [],
  );
});
