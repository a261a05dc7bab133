import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests start many processes, most of them git and helm. */
const FORKING =
  /promot|pr-check|pins|run-command|guide-python|staged-rollout|planned-waves|example-history|hostile-names|bad-input|chart|clients\/(?:git|runner|process|helm)|cli\/(?:manager|rollout)/;

/** Files of a few lines that let fleets live for months. */
const LONG = /test\/sim\/|forecast\/(?:forecast|stepping)\.test|scheduler\/isolation|promises\.test/;

/**
 * A worker serves many files and grows, and the more memory it has the longer the kernel takes to fork it: ten times as
 * long at the end as at the beginning. So those that fork come first. Those that take long come next, though they are small: what
 * begins last should be short, or one worker is waited for.
 */
class ForkingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turns = [FORKING, LONG, /^/];
    const turnOf = ({ moduleId }: TestSpecification): number => turns.findIndex((names) => names.test(moduleId));
    return (await super.sort(files)).toSorted((one, other) => turnOf(one) - turnOf(other));
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'node_modules/**'],
    globalSetup: ['test/support/memory-folder.ts'],
    sequence: { sequencer: ForkingFirst },
    // Failures and a summary. Of a test that passed nobody reads the output, such as the seed of a property.
    reporters: ['minimal'],
    silent: 'passed-only',
    // Ends what hangs. No test proves anything by being faster, however slow or busy the machine is.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // No test changes what another file sees, so a worker serves many files and loads what they share once.
    isolate: false,
    // Node runs the sources as they are, as it does for users: nothing is transformed, and nothing is mocked that would need it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A fifth of the time tests wait, for processes, ports and timers: three workers keep two cores busy.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
});
