import { resolve } from 'node:path';
import { EchelonError } from '../../../base/index.ts';
import { writeFolder } from '../../../clients/output-folder/index.ts';
import {
  type DesiredFleet,
  isIncomplete,
  massRemoval,
  mayRemoveFiles,
  objectFile,
  renderedText,
} from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { PLAIN } from '../../output/colour.ts';
import { API_VERSION, document } from '../../output/format.ts';
import { writeObstacle } from '../../output/obstacle.ts';
import { line } from '../../output/terminal.ts';
import { type Writers, writerFor } from '../../output/writers.ts';
import type { DesiredFlags } from './flags.ts';
import { withManager } from './open.ts';
import { reportProblems } from './report.ts';

export interface RenderFlags extends DesiredFlags {
  readonly out?: string;
  readonly allowMassRemoval?: boolean;
}

/** Renders the instance to Kubernetes objects: to standard output, or one file per object. */
export async function render(io: Io, flags: RenderFlags): Promise<number> {
  const print =
    flags.out === undefined
      ? writerFor(WRITERS, flags.output, 'manager render')
      : writerFor({ ...WRITERS, json: undefined }, flags.output, 'manager render --out');
  const fleet = await withManager(io, flags, { readOnly: true }, ({ during }) =>
    during((manager) => manager.desired()),
  );
  if (fleet.groups.length === 0) io.stderr.write('no managed integrations in scope\n');
  if (flags.out === undefined) await print(io, fleet, PLAIN);
  const refused = flags.out === undefined ? 0 : await writeObjects(io, flags, fleet);
  const wrong = reportProblems(io, fleet, flags, fleet.rendered.failures);
  return wrong || refused > 0 ? EXIT.failed : EXIT.ok;
}

const WRITERS: Writers<DesiredFleet> = {
  table: undefined,
  wide: undefined,
  yaml: async (io, { rendered: { namespaces } }) => {
    for (const { cluster, namespace, objects } of namespaces) {
      for (const object of objects) {
        io.stdout.write(`---\n${line(`# ${cluster}/${namespace}`)}${await document('yaml', object)}`);
      }
    }
  },
  json: async (io, { instance, rendered: { namespaces } }) => {
    const revision = instance.snapshot.revision.id;
    const items = namespaces.map(({ callers: _, ...namespace }) => namespace);
    io.stdout.write(await document('json', { apiVersion: API_VERSION, kind: 'DesiredList', revision, items }));
  },
  name: undefined,
  markdown: undefined,
};

/** Removes no files if the render is incomplete. */
async function writeObjects(
  io: Io,
  flags: RenderFlags,
  { problems, instance, scope, rendered: { namespaces, failures } }: DesiredFleet,
): Promise<number> {
  const files = new Map<string, string>();
  for (const { cluster, namespace, objects } of namespaces) {
    for (const object of objects) {
      files.set(objectFile(cluster, namespace, object), `---\n${await document('yaml', object)}`);
    }
  }
  const target = resolve(io.cwd, flags.out ?? '.');
  refuseInside(target, instance);
  const incomplete = isIncomplete({ problems, failures });
  const changes = writeFolder(target, files, {
    scope,
    keep: () => incomplete || flags.integration !== undefined,
    mayRemove: (removals, known) => flags.allowMassRemoval === true || mayRemoveFiles(removals, known),
  });
  const counts = {
    objects: files.size,
    written: changes.written.length,
    unchanged: changes.unchanged.length,
    removed: changes.removed.length,
  };
  io.stderr.write(`${renderedText(instance.snapshot.revision.id, flags.out ?? '.', counts, incomplete)}\n`);
  for (const file of changes.kept) io.stderr.write(line(`warning: ${file} is stale, but was edited; not removed`));
  if (changes.refused > 0) writeObstacle(io, massRemoval(changes.refused), PLAIN);
  return changes.refused;
}

/** Rendered files inside the data folders would be read as data. */
function refuseInside(target: string, { snapshot }: DesiredFleet['instance']): void {
  if (snapshot.kind !== 'directory') return;
  const folder = ['data', 'resources'].find((name) => `${target}/`.startsWith(`${resolve(snapshot.origin, name)}/`));
  if (folder === undefined) return;
  throw new EchelonError({
    code: 'OUT_INVALID',
    message: `--out ${target} is inside the instance's ${folder}/`,
    hint: 'pass a folder outside the instance data',
  });
}
