import { type Command, Option } from 'commander';
import type { Io } from '../../io.ts';
import {
  collect,
  type Finish,
  seconds,
  wholeNumber,
  withChart,
  withImages,
  withKubeconfig,
  withRollouts,
  withSelection,
  withSources,
} from '../../options.ts';
import type { ConsoleFlags, ConsoleHalf } from './console.ts';

const HALVES: readonly ConsoleHalf[] = ['upgrades', 'shards'];

export function addConsole(command: Command, io: Io, finish: Finish): void {
  withKubeconfig(withRollouts(withImages(withChart(withSelection(withSources(command))))))
    .description(
      'Serve a read-only web console: clusters and versions with their verdicts, the timeline with history and forecast, which shard runs ' +
        'which image, and rollouts wave by wave. On localhost it needs no login; elsewhere it requires a token or client certificates. It observes OCM and ' +
        'the clusters periodically and writes nothing.',
    )
    .option('--listen <host:port>', 'listen address; port 0 picks a free one', '127.0.0.1:8080')
    .option('--refresh <duration>', 'time between two observations, such as 90s or 5m', seconds, 300)
    .option('--days <n>', 'days to forecast', wholeNumber, 60)
    .addOption(new Option('--only <half>', 'serve only this half').choices(HALVES))
    .option('--token-file <file>', 'require this token: as bearer token, or as the password in a browser')
    .option('--tls-cert <file>', 'serve HTTPS with this PEM certificate')
    .option('--tls-key <file>', 'private key of the certificate')
    .option('--client-ca <file>', 'require client certificates signed by this CA')
    .option(
      '--insecure-http-behind-proxy',
      'serve plain HTTP on other addresses than localhost, behind a proxy with TLS',
    )
    .option('--host-name <name>', 'also accept this name in the Host header (repeatable)', collect)
    .option('--cluster <name>', 'shards: only this cluster (repeatable)', collect)
    .option('-n, --namespace <name>', 'shards: only this namespace (repeatable)', collect)
    .option('--in-cluster <cluster>', "cluster to access with this pod's service account")
    .option(
      '--link <name=url>',
      'link on every shard page, with $cluster, $namespace, $integration, $shard, $name and $image (repeatable)',
      collect,
    )
    .option('--debug', 'print the stack of an error')
    .action(async (flags: ConsoleFlags) => {
      const { openConsole } = await import('./console.ts');
      finish(await openConsole(io, flags));
    });
}
