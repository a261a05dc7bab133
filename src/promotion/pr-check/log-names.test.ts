import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { defined } from '../../base/index.ts';
import { nameRuns } from './log-names.ts';

const run = (integration: string, imageRef?: string) => ({
  integration,
  command: integration,
  args: [],
  environment: {},
  ...defined({ imageRef }),
});
const logs = (...runs: readonly ReturnType<typeof run>[]): string[] => nameRuns(runs).map(({ log }) => log);

describe('logs', () => {
  it('are named after integration and image', () => {
    expect(logs(run('terraform-resources'), run('terraform-resources', 'f929a38'))).toEqual([
      'reconcile-terraform-resources.txt',
      'reconcile-terraform-resources_f929a38.txt',
    ]);
  });

  it('are told apart where names meet, also on a file system that knows no case', () => {
    expect(logs(run('a_b'), run('a', 'b'), run('A_B'))).toEqual([
      'reconcile-a_b.txt',
      'reconcile-a_b.2.txt',
      'reconcile-A_B.3.txt',
    ]);
  });

  it('never meet', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'A', '/', '.', '-', '_', ' ', '\u0000', 'é') });
    const runs = fc.array(fc.tuple(texts, fc.option(texts, { nil: undefined })), { maxLength: 20 });
    holds(
      fc.property(runs, (given) => {
        const names = logs(...given.map(([integration, image]) => run(integration, image)));
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^reconcile-[A-Za-z0-9._-]+\.txt$/);
      }),
    );
  });
});
