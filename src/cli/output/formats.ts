import { isAbsolute, join } from 'node:path';
import {
  defined,
  EchelonError,
  type ListedRows,
  markdownTable,
  paintedDiff,
  type ShownRows,
  textTable,
  withTimesFromNow,
} from '../../base/index.ts';
import { type Problem, positionText, type Snapshot } from '../../instance/index.ts';
import { unifiedDiff } from '../../promotion/index.ts';
import type { Io } from '../io.ts';
import { fitting, line, type Paint, paintFor } from './terminal.ts';

/** The consumer of a format: a terminal, a program, a script that needs names, or a web page. */
const AUDIENCE = {
  table: 'terminal',
  wide: 'terminal',
  json: 'program',
  yaml: 'program',
  name: 'script',
  markdown: 'page',
} as const;

export type Format = keyof typeof AUDIENCE;
/** Formats whose output is a single document. */
type DocumentFormat = { [F in Format]: (typeof AUDIENCE)[F] extends 'program' ? F : never }[Format];

export const FORMATS = Object.keys(AUDIENCE) as readonly Format[];

/** Version of all machine-readable documents; changes within it are only additions. */
export const API_VERSION = 'echelon/v1';

export function isDocument(format: Format): format is DocumentFormat {
  return AUDIENCE[format] === 'program';
}

export function isForTerminal(format: Format): boolean {
  return AUDIENCE[format] === 'terminal';
}

/** A machine-readable document. Text that YAML 1.1 or 1.2 would parse as another type is quoted. */
export async function document(format: DocumentFormat, value: object): Promise<string> {
  return SERIALIZERS[format](value);
}

const SERIALIZERS: Readonly<Record<DocumentFormat, (value: object) => string | Promise<string>>> = {
  json: (value) => `${JSON.stringify(value, undefined, 2)}\n`,
  yaml: async (value) => {
    const { dump } = await import('js-yaml');
    return dump(JSON.parse(JSON.stringify(value)), { noRefs: true, lineWidth: -1 });
  },
};

export type Writer<Value> = (io: Io, value: Value, paint: Paint) => void | Promise<void>;

/**
 * How a command writes its result in each format; `undefined` where it does not support one. A format that is added to the
 * union is a type error in every table that lacks it.
 */
export type Writers<Value, F extends string = Format> = Readonly<Record<F, Writer<Value> | undefined>>;

/** The machine-readable formats, all from one document. */
export function documentWriters<Value>(
  documentOf: (value: Value) => object,
): Readonly<Record<DocumentFormat, Writer<Value>>> {
  const writer =
    (format: DocumentFormat): Writer<Value> =>
    async (io, value) =>
      io.stdout.write(await document(format, documentOf(value)));
  return { json: writer('json'), yaml: writer('yaml') };
}

/** The writer of a format; rejects a format that the command does not support, so call it before the work. */
export function writerFor<Value, F extends string>(
  writers: Writers<Value, F>,
  format: F,
  command: string,
): Writer<Value> {
  const writer = writers[format];
  if (writer !== undefined) return writer;
  const known = Object.entries(writers).flatMap(([name, each]) => (each === undefined ? [] : [name]));
  throw new EchelonError({
    code: 'FORMAT_UNSUPPORTED',
    message: `${command} does not support -o ${format}`,
    hint: `use -o ${known.join('|')}`,
  });
}

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

export interface EditFlags {
  readonly dryRun?: boolean;
  readonly output: Format;
  readonly color?: boolean;
}

interface Edits {
  readonly edits: Parameters<typeof unifiedDiff>[0];
  readonly rows: ListedRows;
  /** Included in documents. */
  readonly revision: string;
}

const CONTEXT_LINES = 3;

/** Prints changes of files: those of a dry run as a diff, unless a document is asked for, all others as a listing. */
export async function showEdits(io: Io, flags: EditFlags, { edits, rows, revision }: Edits): Promise<void> {
  const paint = paintFor(io.stdout, io.env, flags.color);
  if (flags.dryRun === true && isForTerminal(flags.output)) {
    io.stdout.write(paintedDiff(await unifiedDiff(edits, CONTEXT_LINES), paint));
  } else {
    await printListing(io, rows, { format: flags.output, paint, revision });
  }
}

type Obstacle = Pick<EchelonError, 'message' | 'code' | 'hint'>;

/** Two lines on standard error: what failed, and what to do about it. */
export function writeObstacle(io: Io, { message, code, hint }: Obstacle, paint: Paint, text = message): void {
  io.stderr.write(errorLine(io, `${paint('red', 'error:')} ${text} [${code}]`) + line(`    ${hint}`));
}

/** A line for standard error; on a terminal it says how far away its times are, as tables do. */
export function errorLine({ stderr, now = () => new Date() }: Io, text: string): string {
  return line(stderr.isTTY ? withTimesFromNow(text, now()) : text);
}

type Origin = Pick<Snapshot, 'kind' | 'origin'>;

/** Two lines per problem: location and message, then the key path and the hint. */
export function problemText(snapshot: Origin, problem: Problem, paint: Paint): string {
  const severity = paint(problem.severity === 'error' ? 'red' : 'yellow', problem.severity);
  const place = paint('bold', `${locatedFile(snapshot, problem.file)}${positionText(problem)}`);
  const at = problem.at === undefined ? '' : paint('dim', `at ${problem.at}; `);
  return `${line(`${place}: ${severity}: ${problem.message} [${problem.rule}]`)}${line(`    ${at}${problem.hint}`)}`;
}

/** `path/to/data/x.yml`, which terminals and editors turn into a link. */
export function locatedFile({ kind, origin }: Origin, file: string): string {
  return kind === 'directory' && !isAbsolute(file) ? join(origin, file) : file;
}
