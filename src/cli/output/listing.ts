import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { API_VERSION, document, type Format } from './format.ts';
import { markdownTable, textTable } from './table.ts';

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
  /** What programs get. */
  readonly item: (row: Row) => object;
}

export interface ListingOptions {
  readonly format: Format;
  readonly paint: Paint;
  /** Goes into documents. */
  readonly revision: string;
}

/** A listing whose kind of row is its own affair. */
export interface Printable {
  readonly noun: string;
  readonly names: readonly string[];
  /** Prints the rows of these names, or all when there are none. */
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

async function printRows<Row>(io: Io, listing: Listing<Row>, options: ListingOptions): Promise<void> {
  const { format } = options;
  if (format === 'json' || format === 'yaml') {
    const list = {
      apiVersion: API_VERSION,
      kind: `${listing.kind}List`,
      revision: options.revision,
      items: listing.rows.map(listing.item),
    };
    io.stdout.write(await document(format, list));
  } else if (format === 'name') {
    const names = new Set(listing.rows.map((row) => `${listing.noun}/${listing.name(row)}\n`));
    io.stdout.write([...names].join(''));
  } else {
    printTable(io, listing, options);
  }
}

function printTable<Row>(io: Io, listing: Listing<Row>, { format, paint }: ListingOptions): void {
  if (listing.rows.length === 0) {
    io.stderr.write(`no ${listing.noun}s found\n`);
    return;
  }
  const columns = listing.columns.filter(({ wide }) => format === 'wide' || wide !== true);
  const titles = columns.map(({ title }) => title);
  const rows = listing.rows.map((row) => columns.map(({ cell }) => cell(row) || '-'));
  io.stdout.write(format === 'markdown' ? markdownTable(titles, rows) : textTable(titles, rows, paint));
}
