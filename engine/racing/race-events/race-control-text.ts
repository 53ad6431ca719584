// Reads events from the texts of race control messages: incidents, penalties, deleted laps and flags for one driver.
// The expressions follow the messages in recordings from 2018 to 2026. Any other text makes no event; many only
// announce times, weather and places. A test has a table of all known forms.

import { type JsonObject, textOf } from '#engine/base/json-value.ts';
import { RACE_CONTROL_TEXT_CHARS_MAX } from '#engine/base/limits.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import type { RaceEvent } from './race-event-rule.ts';

const STEWARDS = /^(?:FIA STEWARDS|CORRECTION):\s*/;
const PENALTY_SERVED = /^PENALTY SERVED - /;
const PENALTY = /^(?:(\d{1,3}) (SECOND|PLACE) )?([A-Z][A-Z /&-]*?) PENALTY FOR CARS? ([^-–]+)(?:[-–]\s*(.+))?$/;
const INCIDENT =
  /^(?:.* )?INCIDENTS?\b(?: INVOLVING CARS? (.+?)| AT TURNS? .+?)? (NOTED|UNDER INVESTIGATION|WILL BE INVESTIGATED AFTER THE \w+|NO FURTHER ACTION|REVIEWED NO FURTHER INVESTIGATION)(?:\s*[-–]\s*(.+))?$/;
const DELETED = /^CAR (\d+ \(\w+\)) (?:TIME ([\d:.]+)|LAP) DELETED\s*[-–]\s*(.+?)(?: LAP (\d{1,3})\b.*)?$/;
const TURN = /\bTURN (\d{1,2})\b/;

/** Returns the event, or null if the text has none. Racing numbers keep the order of the text. */
export function raceControlEventOf(message: JsonObject): RaceEvent | null {
  const text = textOf(message.Message)?.trim() ?? '';
  switch (message.Flag) {
    case 'BLUE':
      return forDriver('blue_flag', message, text);
    case 'BLACK AND WHITE':
      return forDriver('black_and_white_flag', message, text);
  }
  // The expressions backtrack: their time grows with the square of the length.
  if (text.length > RACE_CONTROL_TEXT_CHARS_MAX) return null;
  const said = text.replace(STEWARDS, '').trim();
  const deleted = DELETED.exec(said);
  if (deleted !== null) return lapDeleted(deleted, text);
  const served = PENALTY_SERVED.test(said);
  const penalty = PENALTY.exec(served ? said.replace(PENALTY_SERVED, '') : said);
  if (penalty !== null) return penaltyOf(served ? 'penalty_served' : 'penalty', penalty, text);
  const incident = INCIDENT.exec(said);
  return incident === null ? null : investigation(incident, text);
}

function forDriver(type: 'blue_flag' | 'black_and_white_flag', message: JsonObject, text: string): RaceEvent | null {
  const number = textOf(message.RacingNumber) ?? numbersIn(text)[0];
  return number === undefined ? null : { type, numbers: [number], data: { message: text } };
}

function lapDeleted([, car, time, reason, lap]: RegExpExecArray, message: string): RaceEvent {
  const parsed = lapTimeOf(time);
  const data = {
    message,
    reason: reason!.replace(/ AT TURN .*$/, ''),
    ...(parsed === null ? {} : { time: parsed }),
    ...(lap === undefined ? {} : { lap: Number(lap) }),
    ...turnIn(reason!),
  };
  return { type: 'lap_deleted', numbers: numbersIn(car!), data };
}

function penaltyOf(
  type: 'penalty' | 'penalty_served',
  [, count, unit, kind, cars, reason]: RegExpExecArray,
  message: string,
): RaceEvent {
  const data = {
    message,
    penalty: penaltyKind(kind!),
    ...(count !== undefined && unit === 'SECOND' ? { seconds: Number(count) } : {}),
    ...(count !== undefined && unit === 'PLACE' ? { places: Number(count) } : {}),
    ...(reason === undefined ? {} : { reason: reason.trim() }),
  };
  return { type, numbers: numbersIn(cars!), data };
}

function penaltyKind(text: string): 'time' | 'drive_through' | 'stop_and_go' | 'grid' | 'other' {
  if (text === 'TIME') return 'time';
  if (/^DRIVE[ -]THROUGH$/.test(text)) return 'drive_through';
  if (/^STOP\b.*\bGO$/.test(text)) return 'stop_and_go';
  return /^GRID\b/.test(text) ? 'grid' : 'other';
}

function investigation([text, cars, verdict, reason]: RegExpExecArray, message: string): RaceEvent {
  const dropped = reason === 'NO INVESTIGATION NECESSARY';
  const data = {
    message,
    stage: dropped ? 'no_further_action' : stageOf(verdict!),
    ...(reason === undefined || dropped ? {} : { reason: reason.trim() }),
    ...turnIn(text.split(/\bINVOLVING\b/)[0]!),
  };
  return { type: 'investigation', numbers: numbersIn(cars ?? ''), data };
}

function stageOf(verdict: string): 'noted' | 'under_investigation' | 'after_session' | 'no_further_action' {
  if (verdict === 'NOTED') return 'noted';
  if (verdict === 'UNDER INVESTIGATION') return 'under_investigation';
  return verdict.startsWith('WILL') ? 'after_session' : 'no_further_action';
}

/** Returns the racing numbers in a list such as `10 (GAS), 43 (COL) AND 5 (BOR)`, each once. */
function numbersIn(list: string): string[] {
  return [...new Set(Array.from(list.matchAll(/\b(\d{1,3}) \(\w+\)/g), ([, number]) => number!))];
}

function turnIn(text: string): { turn?: number } {
  const turn = TURN.exec(text)?.[1];
  return turn === undefined ? {} : { turn: Number(turn) };
}
