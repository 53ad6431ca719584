// A heat of a few karts, in the messages of an organiser's own timing.

import type { Frame } from '#engine/racing/frame.ts';

export const KART_START_MS = Date.parse('2026-05-03T14:00:00Z');

export function kartMessage(seconds: number, topic: string, message: unknown): Frame {
  return { utcMs: KART_START_MS + seconds * 1_000, topic, json: JSON.stringify(message) };
}

export const KARTS = {
  7: { name: 'Ada Quick', code: 'ADA', team: 'Red Shed', chassis: 'Kestrel' },
  12: { name: 'Ben Slide', code: 'BEN', team: 'Blue Barn' },
  88: { name: 'Cy Apex', code: 'CYA', team: 'Red Shed' },
};

export const KART_RACE: readonly Frame[] = [
  kartMessage(0, 'Meeting', { name: 'Club Race', venue: 'Northfield', start: '2026-05-03T16:00:00+02:00' }),
  kartMessage(0, 'Heat', { name: 'Final', status: 'waiting', lap: 0, laps: 12 }),
  kartMessage(1, 'Karts', KARTS),
  kartMessage(10, 'Heat', { status: 'running', lap: 1 }),
  kartMessage(11, 'Laps', { 7: { position: 1 }, 12: { position: 2 }, 88: { position: 3 } }),
  kartMessage(58, 'Heat', { lap: 2 }),
  kartMessage(58, 'Laps', { 7: { laps: 1, last: '48.213', best: '48.213' } }),
  kartMessage(59, 'Laps', { 88: { position: 2, laps: 1, last: '48.900', gap: '+0.687' }, 12: { position: 3 } }),
  kartMessage(60, 'Laps', { 12: { laps: 1, gap: '1L' } }),
  kartMessage(600, 'Heat', { status: 'finished' }),
];
