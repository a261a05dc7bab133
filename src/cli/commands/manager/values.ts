import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { PLAIN } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { ManagerFlags } from './flags.ts';
import { withManager } from './open.ts';
import { reportProblems } from './report.ts';

const DOCUMENTS = documentWriters((list: object) => list);
const WRITERS: Writers<object> = {
  table: undefined,
  wide: undefined,
  yaml: DOCUMENTS.yaml,
  json: DOCUMENTS.json,
  name: undefined,
  markdown: undefined,
};

/** Prints every namespace's values document, as passed to the chart. */
export async function values(io: Io, flags: ManagerFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'manager values');
  const context = await withManager(io, flags, { readOnly: true }, ({ during }) =>
    during((manager) => manager.values()),
  );
  const items = context.groups.map(({ namespace }, index) => ({
    cluster: namespace.cluster.name,
    namespace: namespace.name,
    environment: namespace.environment.name,
    file: namespace.file,
    values: context.values[index],
  }));
  const list = { apiVersion: API_VERSION, kind: 'ValuesList', revision: context.instance.snapshot.revision.id, items };
  await write(io, list, PLAIN);
  if (items.length === 0) io.stderr.write('no managed integrations in scope\n');
  return reportProblems(io, context, flags) ? EXIT.failed : EXIT.ok;
}
