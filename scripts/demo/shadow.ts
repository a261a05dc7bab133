import { join } from 'node:path';
import { EXAMPLE, runShort, say } from './stage.ts';

const IMAGES = ['--baseline', 'quay.io/app-sre/qontract-reconcile:8c41f7e', '--candidate', 'f929a38'];
const RUNNER = ['--runner', 'process', '--command', 'examples/shadow/openshift-namespaces.mjs'];
const LINES = 20;

/** Two versions of an integration in dry run on the same shard and data; one of them would delete a namespace. */
export function shadow(scratch: string): void {
  say('Before a new image runs anywhere: what would it do that the current one does not? Two dry runs, compared:');
  const shards = ['--shard', 'app-sre-prod-01', '--shard', 'app-sre-prod-02'];
  const args = ['shadow', 'openshift-namespaces', '--data', EXAMPLE, ...shards, ...IMAGES, ...RUNNER];
  runShort([...args, '--log-dir', join(scratch, 'shadow-logs')], { expected: 1, lines: LINES, quiet: true });
}
