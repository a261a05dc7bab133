import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPO } from './shared.ts';

export const AUTHORS_GUIDE = readFileSync(join(REPO, 'docs/guide/writing-an-integration.md'), 'utf8');

/** The rows of a table that the guide marks as part of the contract, as lists of cells. */
export function contractTable(name: string): readonly (readonly string[])[] {
  const [, table = ''] = AUTHORS_GUIDE.split(`<!-- contract: ${name} -->\n\n`);
  const lines = (table.split('\n\n')[0] ?? '').trimEnd().split('\n');
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What is written in code in a cell. */
export function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

/** A pod: whether it runs in a loop or on a schedule, and the fields that are set. */
export interface ContractPod {
  readonly kind: 'loop' | 'schedule';
  readonly fields: readonly string[];
}

const CONDITION = /^(always|in a loop|on a schedule)?\s*(?:(with|unless) `([^`]+)`)?$/;

/** Whether one of the conditions of a cell holds: `in a loop unless …; on a schedule with …`. */
export function appliesTo(cell: string, pod: ContractPod): boolean {
  return cell.split(';').some((text) => {
    const found = CONDITION.exec(text.trim());
    if (found === null) throw new Error(`the guide has a condition that no test knows: ${text}`);
    const [, when = 'always', how, field = ''] = found;
    const isKind = when === 'always' || when === (pod.kind === 'loop' ? 'in a loop' : 'on a schedule');
    return isKind && (how === undefined || pod.fields.includes(field) === (how === 'with'));
  });
}

/** Every field that a condition of the guide names. */
export function namedFields(cells: readonly string[]): ReadonlySet<string> {
  return new Set(cells.flatMap(codeIn));
}
