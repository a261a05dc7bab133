/** Text in rows and columns; how it is drawn is decided elsewhere. */
export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Shown by `-o wide` only. */
  readonly wide?: boolean;
}

/** Rows of one kind and how to show them in every format. */
export interface Listing<Row> {
  /** `Integration`; documents are an `IntegrationList`. */
  readonly kind: string;
  /** `integration`, as in `-o name`. */
  readonly noun: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly name: (row: Row) => string;
  /** The row in documents. */
  readonly item: (row: Row) => object;
}

/** The parts of a listing that output formats use. */
export interface ShownRows {
  readonly kind: string;
  readonly noun: string;
  names(): string[];
  items(): object[];
  cells(which: 'usual' | 'wide'): Table;
}

/** A listing with its row type hidden. */
export interface ListedRows extends ShownRows {
  /** The rows with these names, or all rows without names. */
  only(names: readonly string[]): ListedRows;
}

export function listedRows<Row>(listing: Listing<Row>): ListedRows {
  const { kind, noun, rows, columns, name, item } = listing;
  return {
    kind,
    noun,
    names: () => rows.map(name),
    items: () => rows.map(item),
    cells: (which) => tableOf(rows, columns, which),
    only: (names) =>
      names.length === 0
        ? listedRows(listing)
        : listedRows({ ...listing, rows: rows.filter((row) => names.includes(name(row))) }),
  };
}

/** An empty cell is shown as `-`. */
export function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[], which: 'usual' | 'wide'): Table {
  const chosen = columns.filter(({ wide }) => which === 'wide' || wide !== true);
  return {
    titles: chosen.map(({ title }) => title),
    rows: rows.map((row) => chosen.map(({ cell }) => cell(row) || '-')),
  };
}
