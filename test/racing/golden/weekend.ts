// SessionInfo of the sessions of the invented weekend.

import type { Script } from './script.ts';

export interface WeekendSession {
  readonly key: number;
  readonly type: 'Race' | 'Qualifying' | 'Practice';
  readonly name: string;
  /** Only practice has a number. */
  readonly number?: number;
  readonly day: string;
  /** Local time, two hours ahead of UTC. */
  readonly from: string;
  readonly to: string;
}

export function weekend(script: Script, { key, type, name, number, day, from, to }: WeekendSession): void {
  script.at(0, 'SessionInfo', {
    Meeting: {
      Key: 1900,
      Name: 'Lakeland Grand Prix',
      OfficialName: 'FORMULA GOLDEN LAKELAND GRAND PRIX 2026',
      Location: 'Mereside',
      Number: 6,
      Country: { Key: 190, Code: 'LKD', Name: 'Lakeland' },
      Circuit: { Key: 190, ShortName: 'Mereside' },
    },
    SessionStatus: 'Inactive',
    ArchiveStatus: { Status: 'Generating' },
    Key: key,
    Type: type,
    ...(number === undefined ? {} : { Number: number }),
    Name: name,
    StartDate: `${day}T${from}`,
    EndDate: `${day}T${to}`,
    GmtOffset: '02:00:00',
    Path: `2026/2026-06-07_Lakeland_Grand_Prix/${day}_${name.replaceAll(' ', '_')}/`,
  });
}
