import { valuesOf } from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { API_VERSION, document, requireFormat } from '../../output/format.ts';
import { type ManagerFlags, openManager } from './context.ts';
import { reportProblems } from './report.ts';

/** Prints the values document of every namespace, as the chart gets it. */
export async function values(io: Io, flags: ManagerFlags): Promise<number> {
  requireFormat(flags.output, ['yaml', 'json'], 'manager values');
  const context = await openManager(io, flags);
  const items = context.groups.map((group) => ({
    cluster: group.namespace.cluster.name,
    namespace: group.namespace.name,
    environment: group.namespace.environment.name,
    file: group.namespace.file,
    values: valuesOf(group),
  }));
  const list = { apiVersion: API_VERSION, kind: 'ValuesList', revision: context.instance.snapshot.revision.id, items };
  io.stdout.write(await document(flags.output === 'json' ? 'json' : 'yaml', list));
  if (items.length === 0) io.stderr.write('no integration is managed here\n');
  return reportProblems(io, context, flags) ? EXIT.failed : EXIT.ok;
}
