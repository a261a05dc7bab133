import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { API_VERSION, type Format } from './format.ts';
import { markdownTable, textTable } from './table.ts';
import { line } from './terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from './writers.ts';

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

interface ListingOptions {
  readonly format: Format;
  readonly paint: Paint;
  /** Included in documents. */
  readonly revision: string;
}

/** A listing with its row type hidden. */
export interface Printable {
  readonly noun: string;
  readonly names: readonly string[];
  /** Prints the rows with these names, or all rows without names. */
  print(io: Io, names: readonly string[], options: ListingOptions): Promise<void>;
}

export function printable<Row>(listing: Listing<Row>): Printable {
  return {
    noun: listing.noun,
    names: listing.rows.map(listing.name),
    print: (io, names, options) => {
      const rows = listing.rows.filter((row) => names.length === 0 || names.includes(listing.name(row)));
      return printRows(io, { ...listing, rows }, options);
    },
  };
}

/** Rows whose kind is forgotten: what each format needs of them. */
interface Rows {
  readonly kind: string;
  readonly noun: string;
  readonly revision: string;
  items(): object[];
  names(): string[];
  cells(which: 'usual' | 'wide'): { readonly titles: readonly string[]; readonly rows: readonly string[][] };
}

const WRITERS: Writers<Rows> = {
  table: inTable('usual', textTable),
  wide: inTable('wide', textTable),
  ...documentWriters(({ kind, revision, items }: Rows) => ({
    apiVersion: API_VERSION,
    kind: `${kind}List`,
    revision,
    items: items(),
  })),
  name: (io, { noun, names }) => {
    io.stdout.write([...new Set(names().map((name) => line(`${noun}/${name}`)))].join(''));
  },
  markdown: inTable('usual', markdownTable),
};

async function printRows<Row>(io: Io, listing: Listing<Row>, options: ListingOptions): Promise<void> {
  const { kind, noun, rows, columns, name, item } = listing;
  const write = writerFor(WRITERS, options.format, `the list of ${noun}s`);
  const shown: Rows = {
    kind,
    noun,
    revision: options.revision,
    items: () => rows.map(item),
    names: () => rows.map(name),
    cells: (which) => {
      const chosen = columns.filter(({ wide }) => which === 'wide' || wide !== true);
      return {
        titles: chosen.map(({ title }) => title),
        rows: rows.map((row) => chosen.map(({ cell }) => cell(row) || '-')),
      };
    },
  };
  await write(io, shown, options.paint);
}

function inTable(which: 'usual' | 'wide', table: typeof textTable): Writer<Rows> {
  return (io, { noun, cells }, paint) => {
    const { titles, rows } = cells(which);
    if (rows.length === 0) io.stderr.write(`no ${noun}s found\n`);
    else io.stdout.write(table(titles, rows, paint));
  };
}
