import { type Command, Option } from 'commander';
import type { Io } from '../../io.ts';
import { collect, type Finish, portNumber, wholeNumber, withCommon } from '../../options.ts';
import type { SimKubeFlags, SimOcmFlags } from './sim.ts';

export function addSim(sim: Command, io: Io, finish: Finish): void {
  sim.description('Serve simulated systems on this machine for experiments.');
  sim
    .command('kube')
    .summary('simulated Kubernetes clusters')
    .description(
      'Serve simulated Kubernetes clusters until interrupted; kubectl get, describe, create, apply and delete work against them.',
    )
    .option('--clusters <names>', 'cluster names, separated by commas (default: sim)')
    .option('--namespaces <names>', 'existing namespaces in each, separated by commas')
    .option('--any-namespace', 'create namespaces on first use')
    .option(
      '--bad-image <tag=kind>',
      'containers of images with this tag never-ready, crash, or crash-later, 30 s after each start; * for any text (repeatable)',
      collect,
    )
    .option('--kubeconfig <file>', 'write a kubeconfig with a context for each cluster')
    .option('--port <port>', 'port of the first cluster; the others follow (default: free ports)', portNumber)
    .option('--token <token>', 'reject requests without this token')
    .option('--debug', 'print the stack of an error')
    .action(async (flags: SimKubeFlags) => {
      const { simKube } = await import('./sim.ts');
      finish(await simKube(io, flags));
    });
  withCommon(sim.command('ocm'))
    .summary('a simulated OCM')
    .description('Serve a simulated OCM with a fleet of clusters that upgrade, until interrupted.')
    .requiredOption('--fleet <file>', 'fleet definition, as YAML')
    .option('--port <port>', 'port (default: a free one)', portNumber)
    .addOption(
      new Option('--clock <clock>', 'virtual: advanced by POST /_sim/advance; real: wall clock')
        .choices(['virtual', 'real'])
        .default('virtual'),
    )
    .option('--speed <n>', 'with a real clock: simulated seconds per second', wholeNumber)
    .option('--seed <n>', 'random seed', wholeNumber)
    .option('--latency <ms>', 'delay of each response in milliseconds', wholeNumber)
    .action(async (flags: SimOcmFlags) => {
      const { simOcm } = await import('./sim.ts');
      finish(await simOcm(io, flags));
    });
}
