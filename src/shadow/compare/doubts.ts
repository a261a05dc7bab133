import { count, shortened } from '../../base/index.ts';
import { type ClassifiedEntry, found, type Pattern, type ReadingRules } from '../read/classify.ts';
import type { LogEntry } from '../read/log-entries.ts';
import type { ShadowOutput } from '../run.ts';

/** Messages of runs that did not do their whole work, in the words of existing integrations. */
const CUT_SHORT: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'exited early', pattern: /\bearly[ -]exit\b|\bexit\b.{0,40}\bearly\b/i },
  { what: 'hit a cache', pattern: /\bcache hit\b|\bhit (?:the|a) cache\b/i },
  { what: 'is disabled by a toggle', pattern: /\btoggle\b.{0,60}\b(?:disabled|off)\b/i },
];

interface ReadRun {
  readonly output: ShadowOutput;
  readonly entries: readonly LogEntry[];
  readonly classified: readonly ClassifiedEntry[];
}

/** Why a run does not show all actions; none for a run that does. */
export function doubtsAbout(name: string, { output, entries, classified }: ReadRun, rules: ReadingRules): string[] {
  const { end, exitCode, reason, truncated } = output;
  if (end === 'not-started') return [`the ${name} could not be started: ${reason ?? 'the reason is not known'}`];
  if (end === 'timed-out') return [`the ${name} timed out`];
  if (end === 'interrupted') return [`the ${name} was interrupted`];
  const errors = classified.filter(({ kind }) => kind === 'error');
  const [first] = errors;
  return [
    ...(exitCode === 0 ? [] : [`the ${name} failed: ${exitText(exitCode)}`]),
    ...(truncated === true ? [`the log of the ${name} is truncated`] : []),
    ...cutShort(name, entries, rules.inconclusive),
    ...(first === undefined
      ? []
      : [`the ${name} reported ${count(errors.length, 'error')}, which may hide actions: ${quote(first.text)}`]),
  ];
}

function exitText(exitCode: number | null | undefined): string {
  return exitCode == null ? 'killed by a signal' : `exit ${exitCode}`;
}

/** At any level: what says so is a debug message of most integrations. */
function cutShort(name: string, entries: readonly LogEntry[], declared: readonly Pattern[]): string[] {
  const known = CUT_SHORT.flatMap(({ what, pattern }) => {
    const entry = entries.find(({ message }) => pattern.test(message));
    return entry === undefined ? [] : [`the ${name} ${what}: ${quote(entry.message)}`];
  });
  const own = entries.find(({ message }) => found(declared, message) !== undefined);
  return own === undefined ? known : [...known, `the ${name} did not do its whole work: ${quote(own.message)}`];
}

function quote(text: string): string {
  return shortened(text.split('\n')[0] ?? '');
}
