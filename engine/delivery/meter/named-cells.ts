// Cells of a meter, one for each name of a list.

export class NamedCells<Name extends string> {
  readonly names: readonly Name[];
  readonly #cells: Float64Array;
  readonly #places: Readonly<Record<Name, number>>;

  constructor(names: readonly Name[], cells: Float64Array, first: number) {
    this.names = names;
    this.#cells = cells;
    this.#places = Object.fromEntries(names.map((name, no) => [name, first + no])) as Record<Name, number>;
  }

  add(name: Name, by = 1): void {
    this.#cells[this.#places[name]]! += by;
  }

  set(name: Name, value: number): void {
    this.#cells[this.#places[name]] = value;
  }

  value(name: Name): number {
    return this.#cells[this.#places[name]]!;
  }
}
