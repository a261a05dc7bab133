import type { Verdict } from './verdict.ts';

/**
 * A row in a list of gates. Deciding, explaining, reporting, metrics and forecasts fold over the list and name no gate, so
 * any closed row stops the change.
 */
export interface Gate<Subject, Context, Owner extends string = string> {
  readonly name: string;
  judge(subject: Subject, context: Context): Verdict<Owner>;
  /** What has to happen before a closed gate opens, where the time is unknown; `target` is what the subject wants. */
  opens(verdict: Verdict<Owner>, target: string): string;
}

/** Rows by name, in the order in which verdicts are listed. */
export type GateList<Row> = ReadonlyMap<string, Row>;

export function gateList<Row extends { readonly name: string }>(rows: readonly Row[]): GateList<Row> {
  const list = new Map(rows.map((row) => [row.name, row]));
  if (list.size < rows.length) throw new TypeError('two gates have the same name');
  return list;
}

/** The row that gave a verdict. A verdict of an unknown gate is a bug: its effect would be undefined. */
export function rowOf<Row>(list: GateList<Row>, { gate }: Pick<Verdict, 'gate'>): Row {
  const row = list.get(gate);
  if (row === undefined) throw new TypeError(`no gate is named ${gate}`);
  return row;
}

/** The first closed gate, if any. */
export function firstClosed<Owner extends string>(verdicts: readonly Verdict<Owner>[]): Verdict<Owner> | undefined {
  return verdicts.find(({ ok }) => !ok);
}
