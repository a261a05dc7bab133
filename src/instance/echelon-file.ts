import type * as z from 'zod';
import { didYouMean } from '../base/index.ts';
import { issueFindings } from './domain/reading.ts';
import { problemsIn, type WrittenScalars } from './locate.ts';
import { parseDatafile } from './parse-datafile.ts';
import type { Finding, Problem } from './problem.ts';

/** How one of Echelon's own files is read. */
interface EchelonFileFormat<File> {
  readonly schema: z.ZodType<File>;
  /** The fields of each mapping, by its path with `#` for positions and `*` for names of the user's choice. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The hint for a file without content. */
  readonly emptyHint: string;
  /** Contradictions between the fields of a file that fits. */
  readonly doubts?: (file: File) => readonly Omit<Finding, 'path'>[];
}

/** Parses a file of `ECHELON_FILES`; with a problem there is no file. `name` is shown to the user. */
export function readEchelonFile<File>(
  content: string,
  name: string,
  { schema, fields, emptyHint, doubts }: EchelonFileFormat<File>,
): { readonly file?: File; readonly problems: readonly Problem[] } {
  const { content: raw, problems } = parseDatafile(name, Buffer.from(content));
  const unread = problems.map(({ hint, ...problem }) => ({
    ...problem,
    file: name,
    hint: problem.rule === 'empty-file' ? emptyHint : hint,
  }));
  if (raw === undefined || unread.some(({ severity }) => severity === 'error')) return { problems: unread };
  const parsed = schema.safeParse(raw, { reportInput: true });
  const found = parsed.success
    ? (doubts?.(parsed.data) ?? [])
    : parsed.error.issues.flatMap((issue) => findingsOf(issue, fields));
  if (!parsed.success || found.length > 0) return { problems: problemsIn(name, content, found) };
  return { file: parsed.data, problems: [] };
}

function findingsOf(issue: z.core.$ZodIssue, fields: EchelonFileFormat<unknown>['fields']): Omit<Finding, 'path'>[] {
  if (issue.code !== 'unrecognized_keys') return issueFindings(noText, { path: '' }, [issue]);
  const known = fieldsAt(
    issue.path.map((key) => (typeof key === 'number' ? '#' : String(key))),
    fields,
  );
  return issue.keys.map((key) => ({
    rule: 'unknown-field',
    severity: 'error',
    keys: [...issue.path.filter((step) => typeof step !== 'symbol'), key],
    at: 'key',
    message: `unknown field ${key}`,
    hint: didYouMean(key, known, `known fields: ${known.join(', ')}`),
  }));
}

/** Messages about Echelon's own files do not show the source text of a value. */
const noText: WrittenScalars = () => undefined;

function fieldsAt(path: readonly string[], fields: EchelonFileFormat<unknown>['fields']): readonly string[] {
  const isHere = (steps: readonly string[]): boolean =>
    steps.length === path.length && steps.every((step, at) => step === '*' || step === path[at]);
  return Object.entries(fields).find(([place]) => isHere(place === '' ? [] : place.split('.')))?.[1] ?? [];
}
