import type { KeyPath } from '../yaml/source-tree.ts';

/** What a value refers to, in every branch of a choice. */
export interface Noted {
  readonly references: NotedReference[];
  readonly resources: string[];
  /** Where the value is, while it is visited. */
  readonly keys: (string | number)[];
  /** More than 0 while something is visited that the validator may leave out, as what follows the branch that it needed. */
  unsure: number;
}

export interface NotedReference {
  readonly keys: KeyPath;
  readonly target: string;
  /** The `$schema` that the target must have, or a schema that the whole target must satisfy. */
  readonly demand: string | object;
  /** The validator may not have met it. */
  readonly isUnsure?: true;
}

/** Whether a value fits a schema. All of the value is visited, also when it does not fit, so that everything is noted. */
export type Fits = (value: unknown, noted: Noted) => boolean;

/** What is noted meanwhile is unsure. */
export function unsurely<Result>(noted: Noted, visit: () => Result): Result {
  noted.unsure += 1;
  const result = visit();
  noted.unsure -= 1;
  return result;
}
