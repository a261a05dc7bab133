import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'node_modules/**'],
    globalSetup: ['test/support/memory-folder.ts'],
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
