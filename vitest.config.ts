import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests start many processes, most of them git. */
const FORKING =
  /(?:promot|pr-check|pins|run-command|guide-python|staged-rollout|clients\/(?:git|runner|process|helm)|manager-(?:render|chart|names))/;

/**
 * A worker serves many files and grows, and the more memory it has the longer the kernel takes to fork it: ten times as
 * long at the end as at the beginning. So those that fork come first.
 */
class ForkingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isForking = ({ moduleId }: TestSpecification): boolean => FORKING.test(moduleId);
    return [...sorted.filter(isForking), ...sorted.filter((file) => !isForking(file))];
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
    // One less by default, which on two cores is one.
    maxWorkers: '100%',
  },
});
