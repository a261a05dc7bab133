import { defined, markdownTable, type ShownRows, textTable } from '../../base/index.ts';
import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { fitting } from './fitting.ts';
import { API_VERSION, type Format } from './format.ts';
import { line } from './terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from './writers.ts';

interface ListingOptions {
  readonly format: Format;
  readonly paint: Paint;
  /** Of the instance; included in documents. */
  readonly revision?: string;
}

type Shown = ShownRows & Pick<ListingOptions, 'revision'>;

const WRITERS: Writers<Shown> = {
  table: inTable('usual', (io, titles, rows, paint) => textTable(titles, rows, paint, fitting(io))),
  wide: inTable('wide', (_, titles, rows, paint) => textTable(titles, rows, paint)),
  ...documentWriters(({ kind, revision, items }: Shown) => ({
    apiVersion: API_VERSION,
    kind: `${kind}List`,
    ...defined({ revision }),
    items: items(),
  })),
  name: (io, { noun, names }) => {
    io.stdout.write([...new Set(names().map((name) => line(`${noun}/${name}`)))].join(''));
  },
  markdown: inTable('usual', (_, titles, rows) => markdownTable(titles, rows)),
};

export async function printListing(io: Io, rows: ShownRows, options: ListingOptions): Promise<void> {
  const write = writerFor(WRITERS, options.format, `the list of ${rows.noun}s`);
  await write(io, { ...rows, ...defined({ revision: options.revision }) }, options.paint);
}

type Draw = (io: Io, titles: readonly string[], rows: readonly (readonly string[])[], paint: Paint) => string;

function inTable(which: 'usual' | 'wide', table: Draw): Writer<Shown> {
  return (io, { noun, cells }, paint) => {
    const { titles, rows } = cells(which);
    if (rows.length === 0) io.stderr.write(`no ${noun}s found\n`);
    else io.stdout.write(table(io, titles, rows, paint));
  };
}
