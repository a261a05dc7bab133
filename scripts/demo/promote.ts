import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { defined } from '../../src/base/index.ts';
import { exampleHistory } from '../example-history.ts';
import { runShort, say } from './stage.ts';

const PRODUCTION = 'app-interface-production';
/** The demo has no registry. */
const DIGEST = `sha256:${'5e'.repeat(32)}`;

/** Promotes a new version to production: the example instance with a history and its upstream, without network. */
export async function promote(scratch: string): Promise<void> {
  const { instance } = await exampleHistory(join(scratch, 'repositories'));
  const show = (args: readonly string[], lines?: number): void =>
    runShort(args, { cwd: instance, quiet: true, ...defined({ lines }) });
  const merge = (message: string): void => {
    execFileSync('git', ['add', '--all'], { cwd: instance });
    const name = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com'];
    execFileSync('git', [...name, 'commit', '--quiet', '--message', message], { cwd: instance });
  };
  say('A change is merged upstream. One command finds every location of the version:');
  show(['promote', 'init']);
  merge('Targets of promotions');
  say('First to one shard: pin the others to their current image,');
  show(['pin', 'terraform-resources', '-e', PRODUCTION, '--except', 'payments-ci', '--reason', 'canary first']);
  merge('Hold terraform-resources back but for payments-ci');
  say('then promote production: values, diff, commits, authors to notify, which shards move and which stay.');
  const flags = ['--only', PRODUCTION, '--upstream-clone', '../reconciler', '--digest', DIGEST];
  show(['promote', 'plan', ...flags], 60);
  show(['promote', 'apply', '--yes', ...flags], 7);
  merge('Promote production');
  say('What a reviewer sees before the merge: the changed workloads and the dry runs.');
  show(['pr-check', '--base', 'HEAD~1'], 40);
}
