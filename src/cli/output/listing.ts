import { defined, type ListedRows } from '../../base/index.ts';
import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { API_VERSION, type Format } from './format.ts';
import { markdownTable, textTable } from './table.ts';
import { line } from './terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from './writers.ts';

interface ListingOptions {
  readonly format: Format;
  readonly paint: Paint;
  /** Of the instance; included in documents. */
  readonly revision?: string;
}

type Shown = ListedRows & Pick<ListingOptions, 'revision'>;

const WRITERS: Writers<Shown> = {
  table: inTable('usual', textTable),
  wide: inTable('wide', textTable),
  ...documentWriters(({ kind, revision, items }: Shown) => ({
    apiVersion: API_VERSION,
    kind: `${kind}List`,
    ...defined({ revision }),
    items: items(),
  })),
  name: (io, { noun, names }) => {
    io.stdout.write([...new Set(names().map((name) => line(`${noun}/${name}`)))].join(''));
  },
  markdown: inTable('usual', markdownTable),
};

export async function printListing(io: Io, rows: ListedRows, options: ListingOptions): Promise<void> {
  const write = writerFor(WRITERS, options.format, `the list of ${rows.noun}s`);
  await write(io, { ...rows, ...defined({ revision: options.revision }) }, options.paint);
}

function inTable(which: 'usual' | 'wide', table: typeof textTable): Writer<Shown> {
  return (io, { noun, cells }, paint) => {
    const { titles, rows } = cells(which);
    if (rows.length === 0) io.stderr.write(`no ${noun}s found\n`);
    else io.stdout.write(table(titles, rows, paint));
  };
}
