import { defined } from '../../base/index.ts';
import { checkInstance, readSchemas, type Snapshot, validationReport } from '../../instance/index.ts';
import { readCapabilities } from '../capabilities-option.ts';
import { type CheckFlags, instanceChecks } from '../instance-checks.ts';
import { type InstanceFlags, shortPath } from '../instance-option.ts';
import type { Io } from '../io.ts';
import type { Format } from '../output/format.ts';

export interface ValidateFlags extends InstanceFlags, CheckFlags {
  readonly schemas?: string;
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

/** Every problem of an instance. */
export async function check(io: Io, flags: ValidateFlags, snapshot: Snapshot) {
  const schemas = flags.schemas === undefined ? undefined : readSchemas(shortPath(io.cwd, flags.schemas));
  const capabilities = readCapabilities(io, flags.capabilities);
  const problems = await checkInstance(snapshot, {
    ...(await instanceChecks(io, flags, { snapshot, capabilities })),
    ...defined({ schemas }),
  });
  return validationReport(snapshot, problems, (schemas ?? snapshot.schemas) !== undefined);
}
