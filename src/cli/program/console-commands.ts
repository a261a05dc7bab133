import { type Command, Option } from 'commander';
import type { ConsoleFlags, ConsoleHalf } from '../commands/console/console.ts';
import { EXIT_HELP } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import {
  collect,
  type Finish,
  seconds,
  wholeNumber,
  withChart,
  withImages,
  withSelection,
  withSources,
} from './options.ts';

const HALVES: readonly ConsoleHalf[] = ['upgrades', 'shards'];

export function addConsole(program: Command, io: Io, finish: Finish): void {
  withImages(withChart(withSelection(withSources(program.command('console')))))
    .summary('serve a read-only page of the fleet: clusters, timeline, shards')
    .description(
      'Serves a read-only web page: clusters and versions with their verdicts, the timeline past and foreseen, and which shard runs ' +
        'which image. On this machine it needs no login; elsewhere it needs a token or client certificates. It looks at OCM and ' +
        'at the clusters by itself, and nothing is written anywhere.',
    )
    .option('--listen <host:port>', 'where it listens; port 0 for any free one', '127.0.0.1:8080')
    .option('--refresh <duration>', 'time between two looks, such as 90s or 5m', seconds, 300)
    .option('--days <n>', 'how far ahead the forecast looks', wholeNumber, 60)
    .addOption(new Option('--only <half>', 'only one half of it').choices(HALVES))
    .option('--token-file <file>', 'answer only those who show this token: as bearer, or as the password of a browser')
    .option('--tls-cert <file>', 'serve HTTPS with this certificate, as PEM')
    .option('--tls-key <file>', 'its key')
    .option('--client-ca <file>', 'answer only clients with a certificate of this authority')
    .option('--insecure-http-behind-proxy', 'serve plain HTTP beyond this machine, for a proxy that has TLS')
    .option('--host-name <name>', 'also answer to this name in the Host header (repeatable)', collect)
    .option('--cluster <name>', 'shards: only this cluster (repeatable)', collect)
    .option('-n, --namespace <name>', 'shards: only this namespace (repeatable)', collect)
    .option(
      '--context <name>',
      'context of the kubeconfig; CLUSTER=CONTEXT with several clusters (repeatable)',
      collect,
    )
    .option('--in-cluster <cluster>', 'the cluster that is reached with the account of this pod')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP)
    .action(async (flags: ConsoleFlags) => {
      const { openConsole } = await import('../commands/console/console.ts');
      finish(await openConsole(io, flags));
    });
}
