import type { LogEntry } from './log-entries.ts';
import type { Mask } from './masks.ts';
import { normalised } from './normalise.ts';

/** What a pattern finds in a message: its groups, or the whole message where it has none. */
export type Pattern = (message: string) => string | undefined;

/** How the output of an integration is read. */
export interface ReadingRules {
  /** Messages that are actions; all of them when absent. */
  readonly actions?: readonly Pattern[];
  /** Messages that are neither an action nor a warning nor an error. */
  readonly ignore: readonly Pattern[];
  readonly masks: readonly Mask[];
  /** Messages of a run that did not do its whole work. */
  readonly inconclusive: readonly Pattern[];
  /** Exact repetitions count once: what retries prints its actions again. */
  readonly collapseRepeats: boolean;
}

type LineClass = 'action' | 'warning' | 'error' | 'ignored';

/** An entry as it is compared. */
export interface ClassifiedEntry {
  readonly kind: LineClass;
  readonly text: string;
  readonly lines: number;
}

/** Messages of existing integrations that are about the run, and lists that are no action. */
const NO_ACTION = [
  /^using gql endpoint\b/i,
  /^request_id: /,
  /certificate.*hostname|hostname.*certificate/i,
  /^\['(?:validating|collecting|skip merge)'/,
];

/** The class of an entry; total, so that every line is in exactly one. */
export function classified({ level, message, lines }: LogEntry, rules: ReadingRules): ClassifiedEntry {
  const ignored = { kind: 'ignored' as const, text: message, lines };
  if (level === 'debug' || message.trim() === '' || found(rules.ignore, message) !== undefined) return ignored;
  if (level !== 'info') return { kind: level, text: normalised(message, rules.masks), lines };
  if (NO_ACTION.some((pattern) => pattern.test(message))) return ignored;
  const action = rules.actions === undefined ? message : found(rules.actions, message);
  return action === undefined ? ignored : { kind: 'action', text: normalised(action, rules.masks), lines };
}

export function found(patterns: readonly Pattern[], message: string): string | undefined {
  for (const pattern of patterns) {
    const text = pattern(message);
    if (text !== undefined) return text;
  }
  return undefined;
}
