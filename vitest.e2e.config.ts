import { defineConfig } from 'vitest/config';

/** Tests against real parts: slow, one after the other, still without retries. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 600_000,
    // The first start on a machine builds an API server.
    hookTimeout: 2_400_000,
    fileParallelism: false,
  },
});
