import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTHORS_GUIDE } from '../support/contract-tables.ts';
import { EXAMPLE_COMMANDS } from '../support/example-integrations.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';

const blocks = (language: string): string[] =>
  [...AUTHORS_GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

const FILE = 'data/integrations/namespace-labels.yml';

describe('the guide for authors', () => {
  let copy: InstanceCopy;
  beforeEach(() => {
    copy = copyInstance();
    copy.write(FILE, blocks('yaml').join(''));
  });
  afterEach(() => copy.dispose());

  it('shows an integration file that is valid, with three shards', async () => {
    expect(await runCli(['validate', '--data', copy.root])).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await runCli(['get', 'shards', '-i', 'namespace-labels', '-o', 'name', '--data', copy.root]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('shows capabilities without which rendezvous membership is refused, and those of the library, with which it is not', async () => {
    copy.replace(FILE, 'shards: 3', 'shards: 3\n    membership: rendezvous');
    const refused = await runCli(['validate', '--data', copy.root]);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('[membership-unsupported]') });
    const [, capabilities = ''] = /`(capabilities: \[[^\]]*SHARD_MEMBERSHIP[^\]]*\])`/.exec(AUTHORS_GUIDE) ?? [];
    copy.replace(FILE, 'capabilities: [SHARDS, /healthz]', capabilities);
    expect(await runCli(['validate', '--data', copy.root])).toMatchObject({ code: 0 });
  });

  it('shows the example in TypeScript', () => {
    expect(blocks('typescript')).toEqual([readFileSync(EXAMPLE_COMMANDS.typescript.at(-1) ?? '', 'utf8')]);
  });
});
