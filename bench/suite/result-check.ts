// Validates a bench result, whether it comes from a bench or from a file.

import Type from 'typebox';
import { schemaCheck } from '#api/http/schema-check.ts';
import { choice } from '#schemas/http/choice.ts';
import { type BenchResult, PLOT_POINTS_MAX } from './result.ts';

const SCALE = choice(['linear', 'log']);

export const BENCH_RESULT = Type.Object({
  bench: Type.String(),
  parameters: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  measurements: Type.Array(
    Type.Object({
      name: Type.String(),
      unit: choice(['/s', 'ns', 'us', 'ms', 's', 'B', 'KiB', 'MiB', 'share', 'x', 'count']),
      better: choice(['higher', 'lower']),
      samples: Type.Array(Type.Number(), { minItems: 1 }),
      target: Type.Optional(Type.Number()),
    }),
  ),
  plots: Type.Array(
    Type.Object({
      title: Type.String(),
      xTitle: Type.String(),
      yTitle: Type.String(),
      xScale: SCALE,
      yScale: SCALE,
      series: Type.Array(
        Type.Object({
          name: Type.String(),
          x: Type.Array(Type.Number()),
          y: Type.Array(Type.Union([Type.Number(), Type.Null()])),
        }),
      ),
    }),
  ),
  faults: Type.Record(Type.String(), Type.Number()),
  notes: Type.Array(Type.String()),
});

const shapeErrors = schemaCheck(BENCH_RESULT, 'the result');

/** Everything wrong with a fresh result; empty if it is valid. */
export function resultErrors(result: BenchResult): readonly string[] {
  const shape = shapeErrors(result);
  return shape.length > 0 ? shape : contentErrors(result);
}

/** Errors that the schema cannot express. The result must already match the schema. */
export function contentErrors({ measurements, plots }: BenchResult): readonly string[] {
  const names = measurements.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...twice.map((name) => `there are two measurements "${name}"`),
    ...plots.flatMap(({ title, series }) =>
      series
        .filter(({ x, y }) => x.length !== y.length || x.length > PLOT_POINTS_MAX || x.some((at, i) => at < x[i - 1]!))
        .map(
          ({ name }) =>
            `plot "${title}", curve "${name}": x and y need the same number of points, at most ${PLOT_POINTS_MAX}, and x must rise`,
        ),
    ),
  ];
}
