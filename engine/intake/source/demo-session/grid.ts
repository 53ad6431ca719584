// The entrants of the built-in session: ten teams with two drivers each, all invented.

export interface DemoTeam {
  readonly name: string;
  /** Six hex digits, as the upstream writes team colours. */
  readonly colour: string;
  /** Milliseconds per lap that the car loses to the best car. */
  readonly paceMs: number;
}

export interface DemoDriver {
  readonly number: string;
  readonly tla: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly team: DemoTeam;
  /** Milliseconds per lap that the driver loses to the best driver. */
  readonly paceMs: number;
}

type DriverRow = readonly [number: string, tla: string, firstName: string, lastName: string, paceMs: number];

function team(name: string, colour: string, paceMs: number, ...rows: readonly DriverRow[]): DemoDriver[] {
  const car: DemoTeam = { name, colour, paceMs };
  return rows.map(([number, tla, firstName, lastName, driverPaceMs]) => ({
    number,
    tla,
    firstName,
    lastName,
    team: car,
    paceMs: driverPaceMs,
  }));
}

export const DEMO_DRIVERS: readonly DemoDriver[] = [
  ...team('Aurora Racing', '2F7DE1', 0, ['21', 'BRK', 'Tomas', 'Brekke', 0], ['9', 'ODU', 'Ife', 'Oduya', 90]),
  ...team('Cobalt Works', '1034A6', 90, ['8', 'VSK', 'Milan', 'Vasko', 20], ['34', 'HAR', 'Jonah', 'Harrow', 130]),
  ...team(
    'Ember Grand Prix',
    'E2452B',
    170,
    ['71', 'SOL', 'Renata', 'Solano', 30],
    ['13', 'KJR', 'Aksel', 'Kjaer', 90],
  ),
  ...team('Halcyon', '19B5A5', 330, ['52', 'TAK', 'Ren', 'Takemori', 10], ['40', 'DUV', 'Luc', 'Duvernay', 140]),
  ...team(
    'Juniper Motorsport',
    '3C8D2F',
    420,
    ['28', 'MBK', 'Sefu', 'Mbeki', 60],
    ['95', 'LND', 'Pia', 'Lindgren', 80],
  ),
  ...team(
    'Meridian Racing',
    'F2A900',
    560,
    ['37', 'CAS', 'Bruno', 'Castell', 20],
    ['64', 'WEX', 'Owen', 'Wexford', 150],
  ),
  ...team('Nightjar', '6C6F93', 640, ['73', 'IVK', 'Nikola', 'Ivkov', 50], ['19', 'PAR', 'Min', 'Parkhae', 70]),
  ...team('Orrery', '9A1F6A', 760, ['60', 'FER', 'Dario', 'Ferrante', 40], ['82', 'GRN', 'Noor', 'Grunwald', 160]),
  ...team(
    'Saltmarsh Racing',
    '8AB8D6',
    900,
    ['47', 'QNL', 'Cian', 'Quinlan', 30],
    ['58', 'ROS', 'Elif', 'Rostam', 110],
  ),
  ...team('Tern & Vale', 'B5B1A1', 1040, ['76', 'ZEL', 'Jakub', 'Zelenka', 60], ['92', 'AMO', 'Kofi', 'Amoah', 90]),
];
