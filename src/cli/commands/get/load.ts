import { count } from '../../../base/index.ts';
import type { Finding, Instance } from '../../../instance/index.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { readFrom } from '../../read-instance.ts';

/** Loads the instance of a `get`; reports the number of errors on standard error and shows the valid part. */
export async function loadInstance(
  io: Io,
  flags: InstanceFlags,
  furtherCheck: (instance: Instance) => readonly Finding[] = () => [],
): Promise<Instance> {
  const instance = await readFrom(io, flags);
  const all = [...instance.snapshot.problems, ...instance.findings, ...furtherCheck(instance)];
  const errors = all.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    io.stderr.write(
      `warning: ${count(errors.length, 'error')} in this instance; the affected parts are left out: run echelon validate\n`,
    );
  }
  return instance;
}
