// Reads the Prometheus text format more strictly than its specification: what a scraper might accept is an error here.
// It is independent of the library that writes the format.

import { strict as assert } from 'node:assert';

export interface MetricFamily {
  readonly type: string;
  readonly help: string;
}

export class PrometheusText {
  readonly families = new Map<string, MetricFamily>();
  readonly #samples: { readonly name: string; readonly labels: ReadonlyMap<string, string>; readonly value: number }[] =
    [];

  /** Throws an AssertionError that names the line. */
  constructor(text: string) {
    assert.ok(text.endsWith('\n'), 'the text ends with a line end');
    const helps = new Map<string, string>();
    const over = new Set<string>();
    const series = new Set<string>();
    let current: string | null = null;
    for (const line of text.slice(0, -1).split('\n')) {
      if (line === '') continue;
      const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
      if (line.startsWith('#')) {
        const [, kind, name, rest] = comment ?? assert.fail(`neither HELP nor TYPE: ${line}`);
        if (name !== current) {
          if (current !== null) over.add(current);
          current = name!;
        }
        assert.ok(!over.has(name!), `all samples of ${name} are together`);
        if (kind === 'HELP') {
          assert.ok(!helps.has(name!), `one HELP: ${line}`);
          assert.match(rest!.replaceAll(/\\[\\n]/g, ''), /^[^\\]*$/, line);
          helps.set(name!, rest!);
        } else {
          assert.match(rest!, /^(counter|gauge|histogram|summary|untyped)$/, line);
          assert.ok(helps.has(name!) && !this.families.has(name!), `HELP, then one TYPE: ${line}`);
          this.families.set(name!, { type: rest!, help: helps.get(name!)! });
        }
        continue;
      }
      const sample = parseSample(line);
      const family = this.#familyOf(sample.name, line);
      assert.equal(family, current, `a sample follows its TYPE: ${line}`);
      const key = `${sample.name} ${[...sample.labels].map(String).toSorted().join(' ')}`;
      assert.ok(!series.has(key), `duplicate series: ${line}`);
      series.add(key);
      this.#samples.push(sample);
    }
    for (const [name, { type }] of this.families) this.#checkFamily(name, type);
  }

  /** The sum of all series with these labels. Throws when there is none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const fitting = this.#samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, of]) => sample.labels.get(label) === of),
    );
    assert.ok(fitting.length > 0, `${name} with ${JSON.stringify(labels)} exists`);
    return fitting.reduce((sum, { value }) => sum + value, 0);
  }

  /** All values of a label. */
  labels(name: string, label: string): string[] {
    const fitting = this.#samples.filter((sample) => sample.name === name);
    return [...new Set(fitting.map(({ labels }) => labels.get(label) ?? ''))];
  }

  get series(): number {
    return this.#samples.length;
  }

  #familyOf(name: string, line: string): string {
    if (this.families.has(name)) return name;
    const base = name.replace(/_(bucket|sum|count)$/, '');
    assert.equal(this.families.get(base)?.type, 'histogram', `no TYPE before it: ${line}`);
    return base;
  }

  #checkFamily(name: string, type: string): void {
    if (type === 'counter') {
      assert.match(name, /_total$/);
      for (const { name: of, value } of this.#samples) if (of === name) assert.ok(value >= 0 && value < Infinity, name);
    } else {
      assert.doesNotMatch(name, /_(total|count|sum|bucket)$/);
    }
    if (type === 'histogram') this.#checkHistogram(name);
  }

  #checkHistogram(name: string): void {
    const groups = new Map<string, { le: number[]; counts: number[] }>();
    const groupOf = (labels: ReadonlyMap<string, string>): string =>
      [...labels]
        .filter(([label]) => label !== 'le')
        .map(String)
        .toSorted()
        .join(' ');
    const all = (suffix: string) => this.#samples.filter((sample) => sample.name === `${name}_${suffix}`);
    for (const { labels, value } of all('bucket')) {
      const group = groups.get(groupOf(labels)) ?? { le: [], counts: [] };
      group.le.push(Number((labels.get('le') ?? 'none').replace('+Inf', 'Infinity')));
      group.counts.push(value);
      groups.set(groupOf(labels), group);
    }
    for (const [labels, { le, counts }] of groups) {
      assert.ok(
        le.every((bound, no) => no === 0 || bound > le[no - 1]!),
        `${name} ${labels}: bounds rise`,
      );
      assert.ok(
        counts.every((count, no) => no === 0 || count >= counts[no - 1]!),
        `${name} ${labels}: cumulative`,
      );
      assert.equal(le.at(-1), Infinity, `${name} ${labels}: ends with +Inf`);
    }
    const last = new Map([...groups].map(([labels, { counts }]) => [labels, counts.at(-1)!]));
    assert.deepEqual(new Map(all('count').map(({ labels, value }) => [groupOf(labels), value])), last, name);
    assert.deepEqual(new Set(all('sum').map(({ labels }) => groupOf(labels))), new Set(last.keys()), name);
  }
}

function parseSample(line: string) {
  const [whole, name] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)/.exec(line) ?? assert.fail(`no name: ${line}`);
  const labels = new Map<string, string>();
  let rest = line.slice(whole.length);
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    while (!rest.startsWith('}')) {
      const label =
        /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,(?!\})|(?=\}))/.exec(rest) ??
        assert.fail(`labels: ${line}`);
      assert.ok(!labels.has(label[1]!), `duplicate label: ${line}`);
      labels.set(
        label[1]!,
        label[2]!.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
      );
      rest = rest.slice(label[0].length);
    }
    rest = rest.slice(1);
  }
  const [, value] = /^ (NaN|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i.exec(rest) ?? assert.fail(`no value: ${line}`);
  return { name: name!, labels, value: Number(value!.replace('Inf', 'Infinity')) };
}
