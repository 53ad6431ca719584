// A small handwritten release for tests, with three races: one of 1950, Miami 2023 with a sprint,
// and Miami 2026, which is still to come. A test changes one of its tables to see the effect.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const RESULT = 'raceId,year,round,positionDisplayOrder,positionNumber,positionText,driverNumber,driverId,constructorId';
const RACE_RESULT = `${RESULT},laps,timeMillis,gapMillis,gapLaps,reasonRetired,points`;
const QUALIFYING = `${RESULT},q1Millis,q2Millis,q3Millis`;
const MAX = '"1","max-verstappen","red-bull"';
const SERGIO = '"11","sergio-perez","red-bull"';
const LANDO = '"4","lando-norris","mclaren"';

const TABLES: Readonly<Record<string, readonly string[]>> = {
  'f1db-grands-prix': ['id,fullName', '"miami","Miami Grand Prix"', '"great-britain","British Grand Prix"'],
  'f1db-circuits': [
    'id,fullName,type',
    '"miami","Miami International Autodrome","STREET"',
    '"silverstone","Silverstone Circuit","RACE"',
  ],
  'f1db-drivers': [
    'id,name,abbreviation,dateOfBirth',
    '"giuseppe-farina","Nino Farina","FAR","1906-10-30"',
    '"lando-norris","Lando Norris","NOR","1999-11-13"',
    '"max-verstappen","Max Verstappen","VER","1997-09-30"',
    '"sergio-perez","Sergio Pérez","PER",',
  ],
  'f1db-constructors': ['id,name', '"alfa-romeo","Alfa Romeo"', '"mclaren","McLaren"', '"red-bull","Red Bull"'],
  'f1db-races': [
    'id,year,round,date,time,grandPrixId,circuitId,circuitLayoutId,laps,scheduledLaps,sprintRaceDate',
    '1,1950,1,"1950-05-13",,"great-britain","silverstone","silverstone-1",70,,',
    '1083,2023,5,"2023-05-07",,"miami","miami","miami-1",56,57,',
    '1153,2026,4,"2026-05-03","17:00","miami","miami","miami-1",57,,"2026-05-02"',
  ],
  'f1db-races-race-results': [
    RACE_RESULT,
    '1,1950,1,1,1,"1","2","giuseppe-farina","alfa-romeo",70,7993600,,,,9',
    `1083,2023,5,1,1,"1",${MAX},56,5258241,,,,26`,
    `1083,2023,5,2,2,"2",${LANDO},55,,,1,,18`,
    `1083,2023,5,3,,"DNF",${SERGIO},12,,,,"Power unit",`,
  ],
  'f1db-races-sprint-race-results': [RACE_RESULT, `1083,2023,5,1,1,"1",${SERGIO},19,1900000,,,,8`],
  'f1db-races-free-practice-1-results': [
    `${RESULT},timeMillis`,
    `1083,2023,5,1,1,"1",${MAX},88000`,
    `1083,2023,5,2,2,"2",${LANDO},`,
  ],
  'f1db-races-free-practice-2-results': [`${RESULT},timeMillis`, `1083,2023,5,1,1,"1",${SERGIO},87500`],
  'f1db-races-free-practice-3-results': [`${RESULT},timeMillis`],
  'f1db-races-qualifying-results': [
    QUALIFYING,
    `1083,2023,5,1,1,"1",${SERGIO},87713,87328,86841`,
    `1083,2023,5,2,,"NC",${LANDO},,,`,
  ],
  'f1db-races-sprint-qualifying-results': [QUALIFYING, `1083,2023,5,1,1,"1",${SERGIO},88000,,`],
  'f1db-races-starting-grid-positions': [RESULT, `1083,2023,5,1,1,"1",${SERGIO}`, `1083,2023,5,2,,"PL",${LANDO}`],
  'f1db-races-sprint-starting-grid-positions': [RESULT, `1083,2023,5,1,1,"1",${SERGIO}`],
  'f1db-races-fastest-laps': [`${RESULT},lap,timeMillis`, `1083,2023,5,1,1,"1",${MAX},56,89708`],
  'f1db-races-pit-stops': [`${RESULT},stop,lap,timeMillis`, `1083,2023,5,1,1,"1",${SERGIO},1,20,22345`],
  'f1db-races-driver-standings': [
    'raceId,positionDisplayOrder,positionNumber,driverId,points',
    '1083,1,1,"max-verstappen",119',
    '1083,2,2,"sergio-perez",105.5',
  ],
  'f1db-races-constructor-standings': [
    'raceId,positionDisplayOrder,positionNumber,constructorId,engineManufacturerId,points',
    '1083,1,1,"red-bull","honda-rbpt",224.5',
  ],
  'f1db-seasons-entrants-drivers': [
    'year,constructorId,driverId,rounds,testDriver',
    '1950,"alfa-romeo","giuseppe-farina","1",false',
    '2023,"red-bull","max-verstappen","1;2;5",false',
    '2026,"mclaren","lando-norris","",false',
    '2026,"mclaren","sergio-perez",,true',
  ],
};

export const SMALL_RELEASE_FILES = Object.keys(TABLES).map((table) => `${table}.csv`);

/** Writes the release into an empty folder and returns it. */
export function writeSmallRelease(folder: string): string {
  for (const [table, lines] of Object.entries(TABLES)) {
    writeFileSync(join(folder, `${table}.csv`), `${lines.join('\n')}\n`);
  }
  return folder;
}

/** Replaces text in one of the tables. Throws unless the table holds it exactly once. */
export function changeTable(folder: string, file: string, found: string, replacement: string): void {
  const path = join(folder, file);
  const [before, after, ...more] = readFileSync(path, 'utf8').split(found);
  if (after === undefined || more.length > 0) throw new Error(`${file} does not hold ${found} once`);
  writeFileSync(path, `${before}${replacement}${after}`);
}
