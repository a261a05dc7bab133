import type { Instance } from '../../../instance/index.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { readFrom } from '../../read-instance.ts';
import { errorsAmong, warnOfErrors } from './warning.ts';

/** Loads an instance of which the valid part is shown; reports the number of errors on standard error. */
export async function loadInstance(io: Io, flags: InstanceFlags): Promise<Instance> {
  const instance = await readFrom(io, flags);
  warnOfErrors(io, errorsAmong([...instance.snapshot.problems, ...instance.findings]));
  return instance;
}
