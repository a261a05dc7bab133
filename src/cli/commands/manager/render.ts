import { resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { writeFolder } from '../../../clients/files/index.ts';
import {
  bootstrapManifests,
  bootstrapTemplate,
  type DesiredFleet,
  isIncomplete,
  managerValues,
  massRemoval,
  mayRemoveFiles,
  objectFile,
  parseAssignment,
  readChartOutput,
  renderedText,
} from '../../../manager/index.ts';
import { EXIT, type Io } from '../../io.ts';
import {
  API_VERSION,
  document,
  documentWriters,
  type Format,
  type Writers,
  writeObstacle,
  writerFor,
} from '../../output/formats.ts';
import { line, PLAIN } from '../../output/terminal.ts';
import { reportProblems } from './apply.ts';
import type { ChartFlags, DesiredFlags, ManagerFlags } from './flags.ts';
import { openChart, withManager } from './open.ts';

export interface RenderFlags extends DesiredFlags {
  readonly out?: string;
  readonly allowMassRemoval?: boolean;
}

/** Renders the instance to Kubernetes objects: to standard output, or one file per object. */
export async function render(io: Io, flags: RenderFlags): Promise<number> {
  const print =
    flags.out === undefined
      ? writerFor(RENDER_WRITERS, flags.output, 'manager render')
      : writerFor({ ...RENDER_WRITERS, json: undefined }, flags.output, 'manager render --out');
  const fleet = await withManager(io, flags, { readOnly: true }, ({ during }) =>
    during((manager) => manager.desired()),
  );
  if (fleet.groups.length === 0) io.stderr.write('no managed integrations in scope\n');
  if (flags.out === undefined) await print(io, fleet, PLAIN);
  const refused = flags.out === undefined ? 0 : await writeObjects(io, flags, fleet);
  const wrong = reportProblems(io, fleet, flags, fleet.rendered.failures);
  return wrong || refused > 0 ? EXIT.failed : EXIT.ok;
}

const RENDER_WRITERS: Writers<DesiredFleet> = {
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

const DOCUMENTS = documentWriters((list: object) => list);
const VALUES_WRITERS: Writers<object> = {
  table: undefined,
  wide: undefined,
  yaml: DOCUMENTS.yaml,
  json: DOCUMENTS.json,
  name: undefined,
  markdown: undefined,
};

/** Prints every namespace's values document, as passed to the chart. */
export async function values(io: Io, flags: ManagerFlags): Promise<number> {
  const write = writerFor(VALUES_WRITERS, flags.output, 'manager values');
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

export interface BootstrapFlags extends ChartFlags {
  readonly format: 'template' | 'manifests';
  readonly namespace?: string;
  readonly deployTo?: readonly string[];
  /** Default: yes for manifests, no for a Template, which is often applied without permission to create cluster roles. */
  readonly clusterRole?: boolean;
  readonly image?: string;
  readonly imageTag?: string;
  readonly environmentName?: string;
  readonly upstream?: string;
  readonly parameter?: readonly string[];
  readonly output: Format;
}

/** Prints the manager's own deployment, rendered with the same chart as everything it operates. */
export async function bootstrap(io: Io, flags: BootstrapFlags): Promise<number> {
  const write = writerFor(BOOTSTRAP_WRITERS, flags.output, 'manager bootstrap');
  const given = givenParameters(flags);
  if (flags.format === 'manifests' && !given.get('IMAGE')) throw noImage();
  const isTemplate = flags.format === 'template';
  const { namespace, deployTo, clusterRole = !isTemplate } = flags;
  const access = { clusterRole, ...defined({ namespace, deployTo }) };
  const chart = await openChart(io, flags);
  const output = readChartOutput(await chart.render(managerValues()));
  const made = isTemplate ? bootstrapTemplate(output, given, access) : bootstrapManifests(output, given, access);
  await write(io, made, PLAIN);
  return EXIT.ok;
}

/** A Template, or manifests one by one. */
const BOOTSTRAP_WRITERS: Writers<object | readonly object[]> = {
  table: undefined,
  wide: undefined,
  yaml: async (io, made) => {
    if (!Array.isArray(made)) io.stdout.write(await document('yaml', made));
    else for (const object of made) io.stdout.write(`---\n${await document('yaml', object)}`);
  },
  json: async (io, made) => {
    const whole = Array.isArray(made) ? { apiVersion: 'v1', kind: 'List', items: made } : made;
    io.stdout.write(await document('json', whole));
  },
  name: undefined,
  markdown: undefined,
};

/** The parameters given by flags. */
function givenParameters(flags: BootstrapFlags): ReadonlyMap<string, string> {
  const named = {
    IMAGE: flags.image,
    IMAGE_TAG: flags.imageTag,
    ENVIRONMENT_NAME: flags.environmentName ?? '',
    INTEGRATIONS_MANAGER_UPSTREAM: flags.upstream,
  };
  const given = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return new Map([...given, ...(flags.parameter ?? []).map((text) => parseAssignment(text, '--parameter'))]);
}

function noImage(): EchelonError {
  return new EchelonError({
    code: 'IMAGE_MISSING',
    message: 'no image given for the manager',
    hint: 'pass its repository with --image and its tag with --image-tag',
  });
}
