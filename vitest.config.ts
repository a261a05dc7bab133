import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { orderSeed, SeededOrder } from './test/support/seeded-order.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'node_modules/**'],
    globalSetup: ['test/support/memory-folder.ts'],
    setupFiles: ['test/support/leftovers.ts'],
    // No test depends on another one: every commit tries another order of files and tests; SEED=n repeats one.
    sequence: {
      ...{ sequencer: SeededOrder, shuffle: { tests: true } },
      seed: orderSeed(process.env['SEED'], import.meta.dirname),
    },
    // Failures and a summary. Of a test that passed nobody reads the output, such as the seed of a property.
    reporters: ['minimal'],
    silent: 'passed-only',
    // Ends what hangs, also on a slow and busy machine. A file whose tests live for months of a fleet says so.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // No test changes what another file sees, so a worker serves many files and loads what they share once.
    isolate: false,
    // Node runs the sources as they are, as it does for users: nothing is transformed, and nothing is mocked that would need it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A fifth of the time tests wait, for processes, ports and timers: three workers keep two cores busy.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
});
