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
import type { Context } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { DocumentFormat } from '../../options.ts';
import { document, documentWriters, headed, print, type Writers, writeObstacle } from '../../output/formats.ts';
import { line } from '../../output/terminal.ts';
import { reportProblems } from './apply.ts';
import type { BootstrapFlags, RenderFlags, ValuesFlags } from './commands.ts';
import { openChart, withManager } from './open.ts';

/** Renders the instance to Kubernetes objects: to standard output, or one file per object. */
export async function render(ctx: Context, flags: RenderFlags): Promise<number> {
  if (flags.out !== undefined && flags.output === 'json') throw onlyYaml();
  const fleet = await withManager(ctx, flags, { readOnly: true }, ({ during }) =>
    during((manager) => manager.desired()),
  );
  if (fleet.groups.length === 0) ctx.err.write('no managed integrations in scope\n');
  if (flags.out === undefined) await print(ctx, RENDER_WRITERS, flags.output, fleet);
  const refused = flags.out === undefined ? 0 : await writeObjects(ctx, flags, fleet);
  const wrong = reportProblems(ctx, fleet, fleet.rendered.failures);
  return wrong || refused > 0 ? EXIT.failed : EXIT.ok;
}

function onlyYaml(): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: 'manager render --out does not support -o json',
    hint: 'omit -o: the files are YAML',
  });
}

const RENDER_WRITERS: Writers<DesiredFleet, DocumentFormat> = {
  yaml: async (ctx, { rendered: { namespaces } }) => {
    for (const { cluster, namespace, objects } of namespaces) {
      for (const object of objects) {
        ctx.out.write(`---\n${line(`# ${cluster}/${namespace}`)}${await document('yaml', object)}`);
      }
    }
  },
  json: async (ctx, { instance, rendered: { namespaces } }) => {
    const revision = instance.snapshot.revision.id;
    const items = namespaces.map(({ callers: _, ...namespace }) => namespace);
    ctx.out.write(await document('json', headed('DesiredList', { revision, items })));
  },
};

/** Removes no files if the render is incomplete. */
async function writeObjects(
  ctx: Context,
  flags: RenderFlags,
  { problems, instance, scope, rendered: { namespaces, failures } }: DesiredFleet,
): Promise<number> {
  const files = new Map<string, string>();
  for (const { cluster, namespace, objects } of namespaces) {
    for (const object of objects) {
      files.set(objectFile(cluster, namespace, object), `---\n${await document('yaml', object)}`);
    }
  }
  const target = resolve(ctx.cwd, flags.out ?? '.');
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
  ctx.err.write(`${renderedText(instance.snapshot.revision.id, flags.out ?? '.', counts, incomplete)}\n`);
  for (const file of changes.kept) ctx.err.line(`warning: ${file} is stale, but was edited; not removed`);
  if (changes.refused > 0) writeObstacle(ctx, massRemoval(changes.refused));
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

const VALUES_WRITERS = documentWriters('ValuesList', (list: object) => list);

/** Prints every namespace's values document, as passed to the chart. */
export async function values(ctx: Context, flags: ValuesFlags): Promise<number> {
  const context = await withManager(ctx, flags, { readOnly: true }, ({ during }) =>
    during((manager) => manager.values()),
  );
  const items = context.groups.map(({ namespace }, index) => ({
    cluster: namespace.cluster.name,
    namespace: namespace.name,
    environment: namespace.environment.name,
    file: namespace.file,
    values: context.values[index],
  }));
  const revision = context.instance.snapshot.revision.id;
  await print(ctx, VALUES_WRITERS, flags.output, { revision, items });
  if (items.length === 0) ctx.err.write('no managed integrations in scope\n');
  return reportProblems(ctx, context) ? EXIT.failed : EXIT.ok;
}

/** Prints the manager's own deployment, rendered with the same chart as everything it operates. */
export async function bootstrap(ctx: Context, flags: BootstrapFlags): Promise<number> {
  const given = givenParameters(flags);
  if (flags.format === 'manifests' && !given.get('IMAGE')) throw noImage();
  const isTemplate = flags.format === 'template';
  const { namespace, deployTo, clusterRole = !isTemplate } = flags;
  const access = { clusterRole, ...defined({ namespace, deployTo }) };
  const chart = await openChart(ctx, flags);
  const output = readChartOutput(await chart.render(managerValues()));
  const made = isTemplate ? bootstrapTemplate(output, given, access) : bootstrapManifests(output, given, access);
  await print(ctx, BOOTSTRAP_WRITERS, flags.output, made);
  return EXIT.ok;
}

/** A Template, or manifests one by one. */
const BOOTSTRAP_WRITERS: Writers<object | readonly object[], DocumentFormat> = {
  yaml: async (ctx, made) => {
    if (!Array.isArray(made)) ctx.out.write(await document('yaml', made));
    else for (const object of made) ctx.out.write(`---\n${await document('yaml', object)}`);
  },
  json: async (ctx, made) => {
    const whole = Array.isArray(made) ? { apiVersion: 'v1', kind: 'List', items: made } : made;
    ctx.out.write(await document('json', whole));
  },
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
