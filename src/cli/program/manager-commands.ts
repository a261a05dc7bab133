import { type Command, Option } from 'commander';
import type { ApplyFlags } from '../commands/manager/apply.ts';
import type { BootstrapFlags } from '../commands/manager/bootstrap.ts';
import type { ManagerFlags } from '../commands/manager/context.ts';
import type { FleetFlags } from '../commands/manager/fleet.ts';
import type { PlanFlags } from '../commands/manager/plan.ts';
import type { RenderFlags } from '../commands/manager/render.ts';
import type { StatusFlags } from '../commands/manager/status.ts';
import type { Io } from '../io.ts';
import {
  collect,
  type Finish,
  seconds,
  withChanges,
  withChart,
  withClusters,
  withCommon,
  withDocument,
  withImages,
  withInstance,
  withSelection,
} from './options.ts';

export function addManager(program: Command, io: Io, finish: Finish, whole: boolean): void {
  const manager = program
    .command('manager')
    .summary('operate integrations: from integration files to workloads')
    .description('Operates integrations: from integration files to workloads.');
  if (!whole) return;
  withDocument(withSelection(withInstance(manager.command('values'))))
    .summary('print the values document of every namespace')
    .description('Prints the values document of every namespace, as the chart gets it.')
    .action(async (flags: ManagerFlags) => {
      const { values } = await import('../commands/manager/values.ts');
      finish(await values(io, flags));
    });
  withDocument(withImages(withChart(withSelection(withInstance(manager.command('render'))))))
    .summary('render the desired Kubernetes objects')
    .description(
      'Renders what the instance declares to Kubernetes objects: to standard output, or with --out to one file per object, ' +
        'in folders cluster/namespace. Files that an earlier render wrote and this one does not are removed; others are not touched.',
    )
    .option('--out <dir>', 'write one file per object below this folder')
    .option('--allow-mass-removal', 'with --out: remove more than 30 % of what was rendered before')
    .action(async (flags: RenderFlags) => {
      const { render } = await import('../commands/manager/render.ts');
      finish(await render(io, flags));
    });
  addFleet(manager, io, finish);
  withDocument(withChart(manager.command('bootstrap')))
    .summary("print the manager's own deployment")
    .description("Prints the manager's own deployment, with ServiceAccount, Role and RoleBinding.")
    .addOption(
      new Option('--format <format>', 'an OpenShift Template, or plain manifests for any cluster')
        .choices(['template', 'manifests'])
        .default('template'),
    )
    .option('-n, --namespace <name>', 'namespace of the manifests')
    .option('--cluster-role', 'with the right to list in all namespaces, so that what was left behind is found')
    .option('--no-cluster-role', 'without it')
    .option('--image <repository>', 'repository of the image that runs the manager')
    .option('--image-tag <tag>', 'its tag')
    .option('--environment-name <name>', 'the environment that this manager operates')
    .option('--upstream <url>', 'the upstream whose integrations it operates')
    .option('-p, --parameter <name=value>', 'set a parameter of the template (repeatable)', collect)
    .action(async (flags: BootstrapFlags) => {
      const { bootstrap } = await import('../commands/manager/bootstrap.ts');
      finish(await bootstrap(io, flags));
    });
}

function addFleet(manager: Command, io: Io, finish: Finish): void {
  const fleet = (name: string): Command =>
    withCommon(withClusters(withImages(withChart(withSelection(withInstance(manager.command(name)))))));
  withChanges(fleet('plan'))
    .summary('show what an apply would do')
    .description('Compares what the instance declares with what the clusters have, and shows what an apply would do.')
    .option('--save <file>', 'save the plan, to be carried out by apply FILE')
    .option('--detailed-exitcode', 'exit 2 when there are changes')
    .action(async (flags: PlanFlags) => {
      const { plan } = await import('../commands/manager/plan.ts');
      finish(await plan(io, flags));
    });
  withChanges(fleet('diff'))
    .summary('show what an apply would change, as a unified diff')
    .description(
      'Shows what an apply would change, object by object, as a unified diff of YAML; KUBECTL_EXTERNAL_DIFF names another ' +
        'program for it. Exits 0 without differences, 1 with some, 2 when something is wrong.',
    )
    .action(async (flags: FleetFlags) => {
      const { diff } = await import('../commands/manager/diff.ts');
      finish(await diff(io, flags));
    });
  withChanges(fleet('apply'))
    .argument('[plan]', 'a saved plan, carried out as it is or not at all')
    .summary('bring the clusters to what the instance declares')
    .description(
      'Brings the clusters to what the instance declares, or carries out a saved plan. On a terminal it asks first; --yes or the ' +
        'variable CI answers.',
    )
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'write nothing: requests that would are refused before they are sent')
    .action(async (file: string | undefined, flags: ApplyFlags) => {
      const { apply } = await import('../commands/manager/apply.ts');
      finish(await apply(io, file, flags));
    });
  fleet('status')
    .summary('show every shard with its image and whether it runs')
    .description(
      'Shows every shard with its image and whether it runs: converged, pinned, lagging, missing, unexpected or disabled. Exits 1 ' +
        'while some shard is none of converged, pinned and disabled.',
    )
    .option('-i, --integration <name>', 'only shards of this integration (repeatable)', collect)
    .option('-w, --watch', 'wait until all shards are as they should be')
    .option('--timeout <duration>', 'with --watch: wait no longer than this, such as 90s or 10m', seconds, 600)
    .action(async (flags: StatusFlags) => {
      const { status } = await import('../commands/manager/status.ts');
      finish(await status(io, flags));
    });
}
