// The artifacts of the simulated session, as one process sees them: those of older versions are kept beside its own.

import type { OpenArtifact } from '#engine/intake/playback/playback-library.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';
import { originText, parseOrigin } from '#engine/timeline/artifact-name.ts';
import type { PlannedTimeline } from './planned-timeline.ts';

const RECORDING = { bytes: 1, crc: 1 };

export class SimulatedLibrary {
  readonly #planned: PlannedTimeline;
  readonly #version: number;

  constructor(planned: PlannedTimeline, version: number) {
    this.#planned = planned;
    this.#version = version;
  }

  current(): OpenArtifact {
    return this.#opened(this.#version);
  }

  async openOrigin(_sessionId: string, origin: string): Promise<OpenArtifact> {
    return this.#opened(parseOrigin(origin)!.deriverVersion);
  }

  #opened(deriverVersion: number): OpenArtifact {
    const artifact = this.#planned.artifacts.get(deriverVersion)!;
    const origin = originText({ deriverVersion, recording: RECORDING });
    return { artifact, timeline: openArtifact(artifact.bytes), origin, release() {} };
  }
}
