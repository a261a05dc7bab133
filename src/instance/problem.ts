/** Keys and positions from the root of a file to one of its nodes. */
export type KeyPath = readonly (string | number)[];

export type Severity = 'error' | 'warning';

/** A problem in the data with its location. A value, not an exception: one problem never hides another. */
export interface Problem {
  /** Stable kebab-case name of the rule that found it. */
  readonly rule: string;
  readonly severity: Severity;
  /** Below the root of the instance, such as `data/aws/prod/account.yml`. */
  readonly file: string;
  /** One-based; absent where the source keeps no text (a bundle, a server). */
  readonly line?: number;
  readonly column?: number;
  /** Key path of the location, such as `managed[0].spec.resources`. */
  readonly at?: string;
  readonly message: string;
  readonly hint: string;
}

/** A problem before its line is known: rules give the key path, the snapshot finds the line. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** Path of the datafile, such as `/aws/prod/account.yml`. */
  readonly path: string;
  readonly keys: KeyPath;
  /** Whether the key or its value is invalid. */
  readonly at?: 'key' | 'value';
  readonly message: string;
  readonly hint: string;
}

/** `managed[0].spec.resources`. */
export function keyPathText(keys: KeyPath): string {
  let text = '';
  for (const key of keys) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? key : `.${key}`;
  }
  return text;
}

/** `:12:3`, or nothing where the source keeps no text. */
export function positionText({ line: number, column }: Problem): string {
  return number === undefined ? '' : `:${number}:${column ?? 1}`;
}

const MAX_REPORTED = 5;

/** The first problems of a file in one line, each with file:line:column and what to do. */
export function problemLine(problems: readonly Problem[]): string {
  const texts = problems.slice(0, MAX_REPORTED).map(({ file, line, column, at, message, hint }) => {
    const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
    return `${[place, ...(at === undefined ? [] : [at]), message].join(': ')} (${hint})`;
  });
  const more = problems.length > MAX_REPORTED ? `; and ${problems.length - MAX_REPORTED} more` : '';
  return texts.join('; ') + more;
}
