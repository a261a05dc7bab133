import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPO } from './shared.ts';

const FILES = {
  clean: `
    import { createServer } from 'node:http';
    it('ends what it began', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      server.close();
      clearTimeout(setTimeout(() => {}, 600_000));
    });`,
  changes: `
    it('changes', () => {
      process.env.LEFT = 'x';
      process.chdir('/');
      process.on('SIGHUP', () => {});
    });`,
  running: `
    import { spawn } from 'node:child_process';
    import { createServer } from 'node:http';
    import { Worker } from 'node:worker_threads';
    it('begins', async () => {
      setTimeout(() => {}, 600_000);
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      new Worker('setInterval(() => {}, 1000)', { eval: true }).unref();
      spawn('cat').unref();
    });`,
  next: "it('is not blamed for the others', () => {});",
};

describe('a file that leaves behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-leftovers-'));
  let found: Map<string, { status: string; message: string }>;

  beforeAll(() => {
    symlinkSync(join(REPO, 'node_modules'), join(folder, 'node_modules'));
    for (const [name, text] of Object.entries(FILES))
      writeFileSync(join(folder, `${name}.test.mjs`), `import { it } from 'vitest';\n${text}\n`);
    const test = {
      ...{ root: folder, setupFiles: [join(REPO, 'test/support/leftovers.ts')], isolate: false, maxWorkers: 1 },
      experimental: { viteModuleRunner: false, nodeLoader: false },
    };
    writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify({ test })};\n`);
    const report = join(folder, 'report.json');
    const vitest = join(REPO, 'node_modules/vitest/vitest.mjs');
    spawnSync(process.execPath, [vitest, 'run', '--root', folder, '--reporter=json', '--outputFile', report]);
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    found = new Map(testResults.map((file: { name: string }) => [basename(file.name, '.test.mjs'), file]));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['clean', 'next'])('nothing passes: %s', (name) => {
    expect(found.get(name)).toMatchObject({ status: 'passed' });
  });

  it.each([
    { name: 'changes', says: 'environment variable LEFT is x, was not there' },
    { name: 'changes', says: 'folder is /, was ' },
    { name: 'changes', says: 'listeners of SIGHUP is 1, was not there' },
    { name: 'running', says: '1 × timer' },
    { name: 'running', says: '1 × server' },
    { name: 'running', says: '1 × thread' },
    { name: 'running', says: 'child cat' },
  ])('something fails: $says', ({ name, says }) => {
    expect(found.get(name)?.status).toBe('failed');
    expect(found.get(name)?.message).toContain(says);
  });
});
