// A karting heat in an organiser's own messages. It is stopped once, a kart is withdrawn, and another enters late.

import type { Frame } from '#engine/racing/frame.ts';
import { Script } from './script.ts';

export const HEAT_ID = '2026-harbour-cup-heat-2';
export const HEAT_START = '2026-07-12T08:30:00Z';

export function heatFrames(): Frame[] {
  const script = new Script(HEAT_START);
  const heat = (seconds: number, fields: object) => script.at(seconds, 'Heat', fields);
  const laps = (seconds: number, karts: object) => script.at(seconds, 'Laps', karts);
  script.at(0, 'Meeting', { name: 'Harbour Cup Heat 2', venue: 'Quayside Arena', start: '2026-07-12T10:31:00+02:00' });
  heat(0, { name: 'Heat 2', status: 'waiting', lap: 0, laps: 6 });
  script.at(2, 'Karts', {
    4: { name: 'Mina Farrow', code: 'FAR', team: 'North Pier', chassis: 'Gannet' },
    17: { name: 'Otto Brandl', code: 'BRA', team: 'South Pier' },
    23: { name: 'Lía Montes', code: 'MON', team: 'North Pier', chassis: 'Tern 3' },
    31: { name: 'Kit Oakes', code: 'OAK' },
  });
  laps(5, { 4: { position: 1 }, 17: { position: 2 }, 23: { position: 3 }, 31: { position: 4 } });
  heat(60, { status: 'running', lap: 1 });
  laps(101.2, { 4: { laps: 1, last: '41.204', best: '41.204' } });
  heat(101.2, { lap: 2 });
  laps(101.9, { 23: { position: 2, laps: 1, last: '41.916', best: '41.916', gap: '+0.712' }, 17: { position: 3 } });
  laps(102.6, { 17: { laps: 1, last: '42.640', best: '42.640', gap: '+1.436' } });
  // One kart's team arrives late, and so does one kart.
  script.at(103, 'Karts', { 31: { team: 'Lighthouse' } });
  laps(104.4, { 31: { laps: 1, last: '44.4', best: '44.4', gap: '+3.196' }, 9: { position: 5 } });
  script.at(110, 'Karts', { 9: { name: 'Uma Reeve', code: 'REE', team: 'South Pier', chassis: 'Skua' } });
  // On the next lap the first two karts swap places, in two messages.
  laps(142, { 23: { position: 1, laps: 2, last: '40.102', best: '40.102', gap: '' } });
  heat(142, { lap: 3 });
  laps(142.1, { 4: { position: 2, laps: 2, last: '41.900', gap: '+0.100' } });
  // A message that changes nothing, one with invalid values, and one without a racing number.
  laps(143, { 4: { position: 2, laps: 2 } });
  laps(144, { 17: { last: 42, gap: { by: 'hand' } } });
  laps(145, { kart: { laps: 3 } });
  heat(150, { status: 'stopped' });
  script.at(170, 'Karts', { _deleted: ['31'] });
  laps(171, { 31: { position: 5 }, 9: { position: 4 } });
  heat(240, { status: 'running' });
  laps(290.25, { 23: { laps: 3, last: '2:28.250' }, 9: { laps: 1, gap: '2L' } });
  heat(290.25, { lap: 4, laps: 4 });
  laps(331, { 23: { laps: 4, last: '40.750' }, 4: { laps: 3, gap: '1L' } });
  heat(331.5, { status: 'finished' });
  return script.frames();
}
