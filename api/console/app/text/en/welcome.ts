// English texts of the first page.

export const welcome = {
  title: 'Race data, delivered',
  lead: 'Timing, race control, race events and models of a live race, as signed JSON to your own endpoints within milliseconds. Recorded races play again whenever you want, up to ten times as fast.',
  signUp: 'Sign up free',
  quickstart: 'First webhook in ten minutes',
  points: [
    [
      'Nothing is lost',
      'Every update ends as delivered, failed after four attempts, or skipped with a reason. The sum is exact, over crashes too.',
    ],
    [
      'Signed and in order',
      'Each request carries a signature and a sequence, so receivers know what is genuine, what is new and what comes again.',
    ],
    [
      'Build without a race',
      'Play recorded sessions to your endpoints, or watch them here, before the next one starts.',
    ],
  ],
  showTitle: 'The demo race, at ten times its speed',
  showBusy: 'The demo race cannot be shown at the moment.',
  showLap: (lap: number, of: number) => `Lap ${lap} of ${of}`,
  showAgain: 'Watch it again',
  showPosition: 'Position',
  showDriver: 'Driver',
  showGap: 'Gap',
  showTyre: 'Tire',
  showInvented: 'Drivers and teams of the demo race are invented.',
};
