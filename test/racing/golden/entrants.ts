// The entrants of the golden sessions: seven teams of two, all of them invented.

export interface Entrant {
  readonly number: string;
  readonly tla: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly team: string;
  /** Six hex digits. */
  readonly colour: string;
  readonly country: string;
}

function team(
  name: string,
  colour: string,
  ...rows: readonly (readonly [number: string, tla: string, firstName: string, lastName: string, country: string])[]
): Entrant[] {
  return rows.map(([number, tla, firstName, lastName, country]) => ({
    number,
    tla,
    firstName,
    lastName,
    team: name,
    colour,
    country,
  }));
}

export const ENTRANTS: readonly Entrant[] = [
  ...team('Aster Racing', '1F6FEB', ['3', 'HOL', 'Nils', 'Holmvik', 'NOR'], ['11', 'ARA', 'Inés', 'Arandela', 'ESP']),
  ...team('Borealis', '2EA043', ['7', 'OKE', 'Tunde', 'Okelwa', 'NGR'], ['18', 'VIR', 'Aino', 'Virtasalo', 'FIN']),
  ...team(
    'Copperline GP',
    'B5651D',
    ['22', 'MAR', 'Leo', 'Marchesin', 'ITA'],
    ['5', 'DUN', 'Callum', 'Dunbrae', 'GBR'],
  ),
  ...team('Delta Marine', '0B7285', ['41', 'SAT', 'Haru', 'Satomine', 'JPN'], ['14', 'BEZ', 'Petr', 'Bezdrov', 'CZE']),
  ...team(
    'Everfield',
    '5F3DC4',
    ['66', 'LIN', 'Greta', 'Lindhage', 'SWE'],
    ['27', 'NAV', 'Rafael', 'Navas-Gil', 'MEX'],
  ),
  ...team('Foxglove', 'E64980', ['88', 'COS', 'Duarte', 'Costanova', 'POR'], ['9', 'YIL', 'Deniz', 'Yildaren', 'TUR']),
  ...team('Granite Works', '868E96', ['50', 'KOW', 'Zofia', 'Kowalin', 'POL'], ['36', 'ABE', 'Samir', 'Abendi', 'MAR']),
];

export function entrant(number: string): Entrant {
  return ENTRANTS.find((one) => one.number === number)!;
}

/** Returns the first message of DriverList: by racing number, in the order of the grid. */
export function driverList(numbers: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    numbers.map((number, index) => {
      const { tla, firstName, lastName, team: TeamName, colour, country } = entrant(number);
      const Reference = `${firstName.slice(0, 3)}${lastName.slice(0, 3)}01`.toUpperCase();
      return [
        number,
        {
          RacingNumber: number,
          BroadcastName: `${firstName.charAt(0)} ${lastName.toUpperCase()}`,
          FullName: `${firstName} ${lastName.toUpperCase()}`,
          Tla: tla,
          Line: index + 1,
          TeamName,
          TeamColour: colour,
          FirstName: firstName,
          LastName: lastName,
          Reference,
          HeadshotUrl: `https://images.example.com/${Reference}.png`,
          PublicIdRight: `drivers/2026/${Reference}right`,
          CountryCode: country,
        },
      ];
    }),
  );
}

/** Returns the driver's identity as TopThree lists it, at a place from 0. */
export function whoIs(number: string, place: number): object {
  const { TeamName: Team, TeamColour, ...listed } = driverList([number])[number] as Readonly<Record<string, string>>;
  const { Tla, BroadcastName, FullName, FirstName, LastName, Reference } = listed;
  const who = { RacingNumber: number, Tla, BroadcastName, FullName, FirstName, LastName, Reference, Team, TeamColour };
  return { Position: String(place + 1), ...who };
}

/** Returns the driver's identity as every payload has it. */
export function driver(number: string, position: number | null): object {
  const { tla, firstName, lastName, team: name } = entrant(number);
  return {
    driverId: slug(`${firstName} ${lastName}`),
    number,
    tla,
    name: `${firstName} ${lastName}`,
    team: name,
    constructorId: slug(name),
    position,
  };
}

function slug(text: string): string {
  return text.replace('é', 'e').replaceAll(' ', '-').toLowerCase();
}
