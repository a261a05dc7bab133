import { type Command, Option } from 'commander';
import type { SimKubeFlags } from '../commands/sim/kube.ts';
import type { SimOcmFlags } from '../commands/sim/ocm.ts';
import { EXIT_HELP } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { type Finish, portNumber, wholeNumber, withCommon } from './options.ts';

export function addSim(program: Command, io: Io, finish: Finish, whole: boolean): void {
  const sim = program
    .command('sim')
    .summary('simulated clusters and OCM as local servers')
    .description('Simulated servers on this machine, to try things on.');
  if (!whole) return;
  sim
    .command('kube')
    .summary('simulated Kubernetes clusters')
    .description('Serves simulated Kubernetes clusters until it is interrupted; kubectl works against them.')
    .option('--clusters <names>', 'names of the clusters, separated by commas (default: sim)')
    .option('--namespaces <names>', 'namespaces that exist in each, separated by commas')
    .option('--any-namespace', 'let namespaces come into being when something is created in them')
    .option('--kubeconfig <file>', 'write a kubeconfig with a context for each cluster')
    .option('--port <port>', 'port of the first cluster; the others follow (default: any free ones)', portNumber)
    .option('--token <token>', 'refuse requests without this token')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP)
    .action(async (flags: SimKubeFlags) => {
      const { simKube } = await import('../commands/sim/kube.ts');
      finish(await simKube(io, flags));
    });
  withCommon(sim.command('ocm'))
    .summary('a simulated OCM')
    .description('Serves a simulated OCM with a fleet of clusters that really upgrade, until it is interrupted.')
    .requiredOption('--fleet <file>', 'the fleet, as YAML')
    .option('--port <port>', 'its port (default: any free one)', portNumber)
    .addOption(
      new Option('--clock <clock>', 'virtual: advanced by POST /_sim/advance; real: as on the wall')
        .choices(['virtual', 'real'])
        .default('virtual'),
    )
    .option('--speed <n>', 'with a real clock: seconds that pass in one', wholeNumber)
    .option('--seed <n>', 'for whatever is left to chance', wholeNumber)
    .option('--latency <ms>', 'milliseconds before each answer', wholeNumber)
    .action(async (flags: SimOcmFlags) => {
      const { simOcm } = await import('../commands/sim/ocm.ts');
      finish(await simOcm(io, flags));
    });
}
