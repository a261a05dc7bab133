import { type Command, Option } from 'commander';
import type { Io } from '../../io.ts';
import {
  collect,
  type Finish,
  withChanges,
  withChart,
  withDocument,
  withFleet,
  withImages,
  withInstance,
  withRollouts,
  withSelection,
  withWatch,
} from '../../options.ts';
import type { ApplyFlags, PlanFlags, StatusFlags } from './apply.ts';
import type { LeaseFlags } from './clusters.ts';
import type { FleetFlags, ManagerFlags } from './flags.ts';
import type { BootstrapFlags, RenderFlags } from './render.ts';

export function addManager(manager: Command, io: Io, finish: Finish): void {
  manager.description('Deploy integrations: from integration files to workloads.');
  withDocument(withImages(withChosen(withSelection(withInstance(manager.command('values'))))))
    .summary('print the values document of every namespace')
    .description('Print the values document of every namespace, as passed to the chart.')
    .action(async (flags: ManagerFlags) => {
      const { values } = await import('./render.ts');
      finish(await values(io, flags));
    });
  withDocument(withImages(withChart(withChosen(withSelection(withInstance(manager.command('render')))))))
    .summary('render the desired Kubernetes objects')
    .description(
      'Render the Kubernetes objects that the instance declares: to standard output, or with --out to one file per object, ' +
        'in folders cluster/namespace. Files of an earlier render that this one does not write are removed; other files are kept.',
    )
    .option('--out <dir>', 'write one file per object below this folder')
    .option('--allow-mass-removal', 'with --out: allow removing more than 30 % of the files rendered before')
    .action(async (flags: RenderFlags) => {
      const { render } = await import('./render.ts');
      finish(await render(io, flags));
    });
  addFleet(manager, io, finish);
  withDocument(withChart(manager.command('bootstrap')))
    .summary("print the manager's own deployment")
    .description(
      "Print the manager's own deployment, with the accounts and permissions that it and its integrations need.",
    )
    .addOption(
      new Option('--format <format>', 'OpenShift Template, or plain manifests for any cluster')
        .choices(['template', 'manifests'])
        .default('template'),
    )
    .option('-n, --namespace <name>', "the manager's namespace, which the manifests create")
    .option('--deploy-to <namespace>', 'another namespace that integrations run in (repeatable)', collect)
    .option('--cluster-role', 'grant list in all namespaces, so that left-over objects are found')
    .option('--no-cluster-role', 'do not grant it')
    .option('--image <repository>', 'image repository of the manager')
    .option('--image-tag <tag>', 'image tag of the manager')
    .option('-e, --environment-name <name>', 'environment that this manager deploys')
    .option('--upstream <url>', 'upstream whose integrations it deploys')
    .option('-p, --parameter <name=value>', 'set a template parameter (repeatable)', collect)
    .action(async (flags: BootstrapFlags) => {
      const { bootstrap } = await import('./render.ts');
      finish(await bootstrap(io, flags));
    });
}

function addFleet(manager: Command, io: Io, finish: Finish): void {
  const fleet = (name: string): Command => withFleet(manager.command(name));
  withOnly(withLease(withChanges(fleet('plan'))))
    .summary('show what apply would do')
    .description('Compare the instance with the clusters and show what apply would do.')
    .option('--save <file>', 'save the plan for apply FILE')
    .option('--detailed-exitcode', 'exit 2 when there are changes')
    .action(async (flags: PlanFlags) => {
      const { plan } = await import('./apply.ts');
      finish(await plan(io, flags));
    });
  withOnly(withLease(withChanges(fleet('diff'))))
    .summary('show what apply would change, as a unified diff')
    .description(
      'Show what apply would change, object by object, as a unified diff of YAML; KUBECTL_EXTERNAL_DIFF sets another ' +
        'diff program. Exits 0 without differences, 1 with differences, 2 on errors.',
    )
    .action(async (flags: FleetFlags & LeaseFlags) => {
      const { diff } = await import('./apply.ts');
      finish(await diff(io, flags));
    });
  withOnly(withLease(withChanges(fleet('apply'))))
    .argument('[plan]', 'a saved plan, applied exactly or not at all')
    .summary('apply the instance to the clusters')
    .description(
      'Apply the instance to the clusters, or apply a saved plan. Asks for confirmation on a terminal; elsewhere, ' +
        'such as in CI, --yes is required.',
    )
    .option('-y, --yes', 'skip confirmation')
    .option('--dry-run', 'write nothing: write requests are rejected before they are sent')
    .action(async (file: string | undefined, flags: ApplyFlags) => {
      const { apply } = await import('./apply.ts');
      finish(await apply(io, file, flags));
    });
  withWatch(withRollouts(fleet('status')), 'all shards are converged, pinned, held or disabled')
    .summary('show every shard with its image and state')
    .description(
      'Show every shard with its image and state: converged, pinned, held, lagging, missing, unexpected or ' +
        'disabled. Exits 1 unless all shards are converged, pinned, held or disabled.',
    )
    .option('-i, --integration <name>', 'only shards of this integration (repeatable)', collect)
    .action(async (flags: StatusFlags) => {
      const { status } = await import('./apply.ts');
      finish(await status(io, flags));
    });
}

function withChosen(command: Command): Command {
  return command.option('-i, --integration <name>', 'only this integration; removes no file (repeatable)', collect);
}

/** A plan for some integrations never deletes. */
function withOnly(command: Command): Command {
  return command.option(
    '-i, --integration <name>',
    'only workloads of this integration; deletes nothing (repeatable)',
    collect,
  );
}

function withLease(command: Command): Command {
  return command.option(
    '--lease <place>',
    "NAMESPACE/NAME or CLUSTER/NAMESPACE/NAME of the manager's lease, whose holder moves images in waves: apply takes it while it writes",
  );
}
