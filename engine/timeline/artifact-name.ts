// The name of an artifact: its session and its origin. So artifacts of several deriver versions, or of several imports
// of a session, lie beside each other, and a run finds the one that it began with.

import type { ArtifactOrigin } from './artifact-format.ts';

const ORIGIN = /^(\d{1,9})-([0-9a-f]{8})-(\d{1,15})$/;

/** The origin as text, such as `3-1a2b3c4d-5242880`: deriver version, checksum and size of the recording. */
export function originText({ deriverVersion, recording }: ArtifactOrigin): string {
  return `${deriverVersion}-${recording.crc.toString(16).padStart(8, '0')}-${recording.bytes}`;
}

/** Reads what `originText` has written. Null for any other text. */
export function parseOrigin(text: string): ArtifactOrigin | null {
  const match = ORIGIN.exec(text);
  if (match === null) return null;
  const [, version, crc, bytes] = match;
  return { deriverVersion: Number(version), recording: { crc: Number.parseInt(crc!, 16), bytes: Number(bytes) } };
}

export function artifactName(sessionId: string, origin: ArtifactOrigin): string {
  return `${sessionId}.${originText(origin)}.playback`;
}

/** The deriver version in a name that `artifactName` has made; null for any other name. */
export function namedVersion(name: string): number | null {
  const [, origin = '', end, ...more] = name.split('.');
  return end === 'playback' && more.length === 0 ? (parseOrigin(origin)?.deriverVersion ?? null) : null;
}
