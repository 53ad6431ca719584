// SessionData, ExtrapolatedClock, Heartbeat, TeamRadio: topics about times and events of a session.

import Type from 'typebox';
import { Numbered, Part } from './collection.ts';

export const SessionDataMessage = Part({
  Series: Numbered(Part({ Utc: Type.String(), Lap: Type.Integer(), QualifyingPart: Type.Integer() })),
  StatusSeries: Numbered(
    Part({
      Utc: Type.String(),
      TrackStatus: Type.String({ description: 'AllClear, Yellow, SCDeployed, Red, VSCDeployed, VSCEnding.' }),
      SessionStatus: Type.String({ description: 'As in SessionStatus.' }),
    }),
  ),
});

export const ExtrapolatedClockMessage = Part({
  Utc: Type.String(),
  Remaining: Type.String({ description: '"01:17:59".' }),
  Extrapolating: Type.Boolean(),
});

export const HeartbeatMessage = Part({ Utc: Type.String({ description: 'With seven decimals.' }) });

export const TeamRadioMessage = Part({
  Captures: Numbered(
    Part({
      Utc: Type.String(),
      RacingNumber: Type.String(),
      Path: Type.String({ description: "Relative to the session's folder in the archive." }),
    }),
  ),
});
