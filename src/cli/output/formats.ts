import { isAbsolute, join } from 'node:path';
import {
  defined,
  type EchelonError,
  type ListedRows,
  markdownTable,
  paintedDiff,
  type ShownRows,
  textTable,
} from '../../base/index.ts';
import { type Problem, positionText, type Snapshot } from '../../instance/index.ts';
import { unifiedDiff } from '../../promotion/index.ts';
import type { Context, Printer } from '../context.ts';
import { type DocumentFormat, type Format, isForTerminal } from '../options.ts';
import { line, type Paint } from './terminal.ts';

/** Version of all machine-readable documents; changes within it are only additions. */
const API_VERSION = 'echelon/v1';

/** A document for programs, with its head. */
export function headed(kind: string, content: object): object {
  return { apiVersion: API_VERSION, kind, ...content };
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

export type Writer<Value> = (ctx: Context, value: Value) => void | Promise<void>;

/** How a command writes its result in each of its formats: one that its options list and that it cannot write is a type error. */
export type Writers<Value, F extends string = Format> = Readonly<Record<F, Writer<Value>>>;

/** The machine-readable formats, all from one document. */
export function documentWriters<Value>(
  kind: string,
  contentOf: (value: Value) => object,
): Readonly<Record<DocumentFormat, Writer<Value>>> {
  const writer =
    (format: DocumentFormat): Writer<Value> =>
    async ({ out }, value) =>
      out.write(await document(format, headed(kind, contentOf(value))));
  return { json: writer('json'), yaml: writer('yaml') };
}

/** Prints a result in the format of the command's flags. */
export async function print<Value, F extends string>(
  ctx: Context,
  writers: Writers<Value, F>,
  format: F,
  value: Value,
): Promise<void> {
  await writers[format](ctx, value);
}

type Shown = ShownRows & { readonly revision?: string };

const WRITERS: Writers<Shown> = {
  table: inTable('usual', ({ paint, style }, titles, rows) => textTable(titles, rows, paint, style())),
  wide: inTable('wide', ({ paint }, titles, rows) => textTable(titles, rows, paint)),
  ...listDocuments(),
  name: ({ out }, { noun, names }) => {
    out.write([...new Set(names().map((name) => line(`${noun}/${name}`)))].join(''));
  },
  markdown: inTable('usual', (_, titles, rows) => markdownTable(titles, rows)),
};

/** Prints rows; documents also have the revision of the instance. */
export async function printListing(ctx: Context, format: Format, rows: ShownRows, revision?: string): Promise<void> {
  await print(ctx, WRITERS, format, { ...rows, ...defined({ revision }) });
}

function listDocuments(): Readonly<Record<DocumentFormat, Writer<Shown>>> {
  const write =
    (format: DocumentFormat): Writer<Shown> =>
    async ({ out }, { kind, revision, items }) =>
      out.write(await document(format, headed(`${kind}List`, { ...defined({ revision }), items: items() })));
  return { json: write('json'), yaml: write('yaml') };
}

type Draw = (out: Printer, titles: readonly string[], rows: readonly (readonly string[])[]) => string;

function inTable(which: 'usual' | 'wide', table: Draw): Writer<Shown> {
  return ({ out, err }, { noun, cells }) => {
    const { titles, rows } = cells(which);
    if (rows.length === 0) err.write(`no ${noun}s found\n`);
    else out.write(table(out, titles, rows));
  };
}

export interface EditFlags {
  readonly dryRun?: boolean;
  readonly output: Format;
}

interface Edits {
  readonly edits: Parameters<typeof unifiedDiff>[0];
  readonly rows: ListedRows;
  /** Included in documents. */
  readonly revision: string;
}

const CONTEXT_LINES = 3;

/** Prints changes of files: those of a dry run as a diff, unless a document is asked for, all others as a listing. */
export async function showEdits(ctx: Context, flags: EditFlags, { edits, rows, revision }: Edits): Promise<void> {
  if (flags.dryRun === true && isForTerminal(flags.output)) {
    ctx.out.write(paintedDiff(await unifiedDiff(edits, CONTEXT_LINES), ctx.out.paint));
  } else {
    await printListing(ctx, flags.output, rows, revision);
  }
}

type Obstacle = Pick<EchelonError, 'message' | 'code' | 'hint'>;

/** Two lines on standard error: what failed, and what to do about it. */
export function writeObstacle({ err }: Context, { message, code, hint }: Obstacle, text = message): void {
  err.dated(`${err.paint('red', 'error:')} ${text} [${code}]`);
  err.line(`    ${hint}`);
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
