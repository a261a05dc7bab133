import { type Column, defined, EchelonError, type ListedRows, listedRows, requireNames } from '../../../base/index.ts';
import { fieldDocument, fieldLines, findField, findKind, jsonSchemaOf, kindListing } from '../../../fields/index.ts';
import {
  checkInstance,
  environmentNames,
  errorsOf,
  INSTANCE_LISTINGS,
  type Instance,
  type ListingFilters,
  notCheckedLines,
  readInstance,
  readSchemas,
  type Snapshot,
  type ValidationReport,
  validationDocument,
  validationMarkdown,
  validationReport,
  validationSummary,
} from '../../../instance/index.ts';
import {
  type Capabilities,
  shardOf as md5ShardOf,
  rendezvousShardOf,
  shardFindings,
  shardListing,
} from '../../../sharding/index.ts';
import type { FlagsOf } from '../../command.ts';
import type { Context } from '../../context.ts';
import { errorsAmong, instanceChecks, loadFrom, readCapabilities, shortPath, warnOfErrors } from '../../instance.ts';
import { EXIT } from '../../io.ts';
import {
  document,
  documentWriters,
  locatedFile,
  print,
  printListing,
  problemText,
  type Writer,
  type Writers,
} from '../../output/formats.ts';
import { line } from '../../output/terminal.ts';
import type { ExplainFlags, ListedOptions, ShardOfFlags, VALIDATE } from './commands.ts';

type ValidateFlags = FlagsOf<typeof VALIDATE>;
type GetFlags = FlagsOf<ListedOptions>;

/** Loads an instance and reports everything that is wrong with it; exit 1 when anything is an error. */
export async function validate(ctx: Context, flags: ValidateFlags): Promise<number> {
  const report = await check(ctx, flags, await loadFrom(ctx, flags, { inventory: true }));
  await print(ctx, WRITERS, flags.output, report);
  return errorsOf(report) > 0 ? EXIT.failed : EXIT.ok;
}

const printText: Writer<ValidationReport> = ({ out }, report) => {
  for (const problem of report.problems) out.write(problemText(report, problem, out.paint));
  for (const text of notCheckedLines(report)) out.line(text);
  out.write(`${out.paint(errorsOf(report) > 0 ? 'red' : 'green', validationSummary(report))}\n`);
};

const WRITERS: Writers<ValidationReport> = {
  table: printText,
  wide: printText,
  ...documentWriters('ValidationReport', validationDocument),
  name: (ctx, report) => {
    const files = new Set(report.problems.map((problem) => line(locatedFile(report, problem.file))));
    ctx.out.write([...files].join(''));
  },
  markdown: (ctx, report) => ctx.out.write(validationMarkdown(report)),
};

/** Every problem of an instance. */
export async function check(ctx: Context, flags: ValidateFlags, snapshot: Snapshot) {
  const schemas = flags.schemas === undefined ? undefined : readSchemas(shortPath(ctx.cwd, flags.schemas));
  const capabilities = readCapabilities(ctx, flags.capabilities);
  const problems = await checkInstance(snapshot, {
    ...(await instanceChecks(ctx, flags, { snapshot, capabilities })),
    ...defined({ schemas }),
  });
  return validationReport(snapshot, problems, (schemas ?? snapshot.schemas) !== undefined);
}

interface Row {
  readonly key: string;
  readonly shard: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'KEY', cell: ({ key }) => key },
  { title: 'SHARD', cell: ({ shard }) => String(shard) },
];

/** Prints the shard that owns each key, by the function that the shards themselves use. */
export async function shardOf(ctx: Context, keys: readonly string[], flags: ShardOfFlags): Promise<number> {
  const owner = flags.membership === 'rendezvous' ? rendezvousShardOf : md5ShardOf;
  const rows = keys.map((key) => ({ key, shard: owner(key, flags.shards) }));
  const listing = {
    kind: 'ShardOf',
    noun: 'key',
    rows,
    columns: COLUMNS,
    name: ({ key }: Row) => key,
    item: (row: Row) => row,
  };
  await printListing(ctx, flags.output, listedRows(listing), `${flags.membership}/${flags.shards}`);
  return EXIT.ok;
}

type Found = ReturnType<typeof findField>;

/** Shows the fields of a kind of file, or lists the kinds. */
export async function explainField(ctx: Context, path: string | undefined, flags: ExplainFlags): Promise<number> {
  const { output, recursive = false } = flags;
  if (path === undefined) await printListing(ctx, output, kindListing());
  else if (output === 'name' || output === 'markdown') throw noExplanation(output);
  else await print(ctx, explanationWriters(recursive), output, findField(path));
  return EXIT.ok;
}

function noExplanation(format: string): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `explain of a field does not support -o ${format}`,
    hint: 'use -o table|wide|json|yaml',
  });
}

function explanationWriters(recursive: boolean): Writers<Found, 'table' | 'wide' | 'json' | 'yaml'> {
  const text: Writer<Found> = ({ out, stdout }, found) => {
    const width = Math.min(stdout.columns ?? 100, 120);
    for (const each of fieldLines(found, { recursive, width }))
      out.line(each.startsWith(' ') ? each : out.paint('bold', each));
  };
  return { table: text, wide: text, ...documentWriters('FieldExplanation', fieldDocument) };
}

/** Prints the JSON Schema of a kind of file. */
export async function schema(ctx: Context, kind: string): Promise<number> {
  ctx.out.write(await document('json', jsonSchemaOf(findKind(kind))));
  return EXIT.ok;
}

/** Shows what the instance declares of one kind. */
export async function get(ctx: Context, kind: string, names: readonly string[], flags: GetFlags): Promise<number> {
  const snapshot = await loadFrom(ctx, flags);
  const { rows, errors } = list(ctx, kind, names, flags, snapshot);
  warnOfErrors(ctx, errors);
  await printListing(ctx, flags.output, rows, snapshot.revision.id);
  return EXIT.ok;
}

type ListingOf = (instance: Instance, filters: ListingFilters, declared?: Capabilities) => ListedRows;

const LISTINGS: Readonly<Record<string, ListingOf>> = { ...INSTANCE_LISTINGS, shards: shardListing };

/** The rows of one kind, and the number of errors in the instance, whose affected parts are left out. */
export function list(
  ctx: Context,
  kind: string,
  names: readonly string[],
  flags: GetFlags,
  snapshot: Snapshot,
): { readonly rows: ListedRows; readonly errors: number } {
  const listed = LISTINGS[kind];
  if (listed === undefined) throw new Error(`no listing for ${kind}`);
  const declared = readCapabilities(ctx, flags.capabilities);
  const instance = readInstance(snapshot);
  const shards = kind === 'shards' ? shardFindings(instance, declared) : [];
  const errors = errorsAmong([...snapshot.problems, ...instance.findings, ...shards]);
  const all = listed(instance, {}, declared);
  try {
    requireNames('environment', flags.environment, ...environmentsOf(kind, instance));
    requireNames('integration', flags.integration, namesOf(instance.integrations));
    requireNames(all.noun, names, all.names());
  } catch (unknown) {
    warnOfErrors(ctx, errors);
    throw unknown;
  }
  return { rows: listed(instance, flags, declared).only(names), errors };
}

/** Organizations are narrowed by OCM environments, everything else by those of the products; and what lists them. */
function environmentsOf(kind: string, instance: Instance): [string[], string] {
  return kind === 'organizations'
    ? [namesOf(instance.ocmEnvironments), 'organizations']
    : [environmentNames(instance), 'environments'];
}

function namesOf(all: readonly { readonly name: string }[]): string[] {
  return all.map(({ name }) => name);
}
