import { type Column, defined, type ListedRows, listedRows, requireNames } from '../../../base/index.ts';
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
import {
  type CheckFlags,
  errorsAmong,
  type InstanceFlags,
  instanceChecks,
  loadFrom,
  readCapabilities,
  shortPath,
  warnOfErrors,
} from '../../instance.ts';
import { EXIT, type Io } from '../../io.ts';
import {
  API_VERSION,
  document,
  documentWriters,
  type Format,
  locatedFile,
  printListing,
  problemText,
  type Writer,
  type Writers,
  writerFor,
} from '../../output/formats.ts';
import { line, paintFor } from '../../output/terminal.ts';

/** Loads an instance and reports everything that is wrong with it; exit 1 when anything is an error. */
export async function validate(io: Io, flags: ValidateFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'validate');
  const report = await check(io, flags, await loadFrom(io, flags, { inventory: true }));
  await write(io, report, paintFor(io.stdout, io.env, flags.color));
  return errorsOf(report) > 0 ? EXIT.failed : EXIT.ok;
}

const printText: Writer<ValidationReport> = (io, report, paint) => {
  for (const problem of report.problems) io.stdout.write(problemText(report, problem, paint));
  for (const text of notCheckedLines(report)) io.stdout.write(line(text));
  io.stdout.write(`${paint(errorsOf(report) > 0 ? 'red' : 'green', validationSummary(report))}\n`);
};

const WRITERS: Writers<ValidationReport> = {
  table: printText,
  wide: printText,
  ...documentWriters((report: ValidationReport) => ({
    apiVersion: API_VERSION,
    kind: 'ValidationReport',
    ...validationDocument(report),
  })),
  name: (io, report) => {
    const files = new Set(report.problems.map((problem) => line(locatedFile(report, problem.file))));
    io.stdout.write([...files].join(''));
  },
  markdown: (io, report) => io.stdout.write(validationMarkdown(report)),
};

export interface ValidateFlags extends InstanceFlags, CheckFlags {
  readonly schemas?: string;
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

/** Every problem of an instance. */
export async function check(io: Io, flags: ValidateFlags, snapshot: Snapshot) {
  const schemas = flags.schemas === undefined ? undefined : readSchemas(shortPath(io.cwd, flags.schemas));
  const capabilities = readCapabilities(io, flags.capabilities);
  const problems = await checkInstance(snapshot, {
    ...(await instanceChecks(io, flags, { snapshot, capabilities })),
    ...defined({ schemas }),
  });
  return validationReport(snapshot, problems, (schemas ?? snapshot.schemas) !== undefined);
}

export interface ShardOfFlags {
  readonly shards: number;
  readonly membership: 'md5' | 'rendezvous';
  readonly output: Format;
  readonly color?: boolean;
}

interface Row {
  readonly key: string;
  readonly shard: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'KEY', cell: ({ key }) => key },
  { title: 'SHARD', cell: ({ shard }) => String(shard) },
];

/** Which shard owns each key; the function that the shards themselves use. */
export async function shardOf(io: Io, keys: readonly string[], flags: ShardOfFlags): Promise<number> {
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
  await printListing(io, listedRows(listing), {
    format: flags.output,
    paint: paintFor(io.stdout, io.env, flags.color),
    revision: `${flags.membership}/${flags.shards}`,
  });
  return EXIT.ok;
}

export interface ExplainFieldFlags {
  readonly recursive?: boolean;
  readonly output: Format;
  readonly color?: boolean;
}

type Found = ReturnType<typeof findField>;

/** Shows the fields of a kind of file, or lists the kinds. */
export async function explainField(io: Io, path: string | undefined, flags: ExplainFieldFlags): Promise<number> {
  const paint = paintFor(io.stdout, io.env, flags.color);
  if (path === undefined) await printListing(io, kindListing(), { format: flags.output, paint });
  else await writerFor(writers(flags.recursive === true), flags.output, 'explain')(io, findField(path), paint);
  return EXIT.ok;
}

function writers(recursive: boolean): Writers<Found> {
  const text: Writer<Found> = (io, found, paint) => {
    const width = Math.min(io.stdout.columns ?? 100, 120);
    for (const each of fieldLines(found, { recursive, width }))
      io.stdout.write(line(each.startsWith(' ') ? each : paint('bold', each)));
  };
  return {
    ...{ table: text, wide: text, name: undefined, markdown: undefined },
    ...documentWriters((found: Found) => ({
      ...{ apiVersion: API_VERSION, kind: 'FieldExplanation' },
      ...fieldDocument(found),
    })),
  };
}

/** Prints the JSON Schema of a kind of file. */
export async function schema(io: Io, kind: string): Promise<number> {
  io.stdout.write(await document('json', jsonSchemaOf(findKind(kind))));
  return EXIT.ok;
}

/** Shows what the instance declares of one kind. */
export async function get(io: Io, kind: string, names: readonly string[], flags: GetFlags): Promise<number> {
  const snapshot = await loadFrom(io, flags);
  const { rows, errors } = list(io, kind, names, flags, snapshot);
  warnOfErrors(io, errors);
  await printListing(io, rows, {
    format: flags.output,
    paint: paintFor(io.stdout, io.env, flags.color),
    revision: snapshot.revision.id,
  });
  return EXIT.ok;
}

export interface GetFlags extends InstanceFlags, ListingFilters {
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

type ListingOf = (instance: Instance, filters: ListingFilters, declared?: Capabilities) => ListedRows;

const LISTINGS: Readonly<Record<string, ListingOf>> = { ...INSTANCE_LISTINGS, shards: shardListing };

/** The rows of one kind, and the number of errors in the instance, whose affected parts are left out. */
export function list(
  io: Io,
  kind: string,
  names: readonly string[],
  flags: GetFlags,
  snapshot: Snapshot,
): { readonly rows: ListedRows; readonly errors: number } {
  const listed = LISTINGS[kind];
  if (listed === undefined) throw new Error(`no listing for ${kind}`);
  const declared = readCapabilities(io, flags.capabilities);
  const instance = readInstance(snapshot);
  const shards = kind === 'shards' ? shardFindings(instance, declared) : [];
  const errors = errorsAmong([...snapshot.problems, ...instance.findings, ...shards]);
  const all = listed(instance, {}, declared);
  try {
    requireNames('environment', flags.environment, ...environmentsOf(kind, instance));
    requireNames('integration', flags.integration, namesOf(instance.integrations));
    requireNames(all.noun, names, all.names());
  } catch (unknown) {
    warnOfErrors(io, errors);
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
