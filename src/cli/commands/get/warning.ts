import { count } from '../../../base/index.ts';
import type { Problem } from '../../../instance/index.ts';
import type { Io } from '../../io.ts';

export function errorsAmong(found: readonly Pick<Problem, 'severity'>[]): number {
  return found.filter(({ severity }) => severity === 'error').length;
}

export function warnOfErrors(io: Io, errors: number): void {
  if (errors === 0) return;
  io.stderr.write(
    `warning: ${count(errors, 'error')} in this instance; the affected parts are left out: run echelon validate\n`,
  );
}
