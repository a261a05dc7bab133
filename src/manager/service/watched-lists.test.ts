import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../runtime/index.ts';
import { watchedLists } from './watched-lists.ts';

async function open() {
  const metrics = await createMetrics({ integration: 'x', shards: 1, shardId: 0, processMetrics: false });
  const said: unknown[] = [];
  const lists = watchedLists(metrics, { info: (message, fields) => said.push({ message, ...fields }) });
  const counted = async (): Promise<string[]> =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith('echelon_lists_total'));
  return { lists, said, counted };
}

describe('what watches report', () => {
  it('is counted, from zero on', async () => {
    const { lists, counted } = await open();
    expect(await counted()).toEqual([
      'echelon_lists_total{result="listed"} 0',
      'echelon_lists_total{result="reused"} 0',
    ]);
    for (const what of ['listed', 'reused', 'reused'] as const) lists.report({ cluster: 'a', what });
    expect(await counted()).toEqual([
      'echelon_lists_total{result="listed"} 1',
      'echelon_lists_total{result="reused"} 2',
    ]);
  });

  it('wakes the loop once, however many changes there are', async () => {
    const { lists } = await open();
    lists.report({ cluster: 'a', what: 'listed' });
    expect(lists.takeChanges()).toBe(false);
    for (const cluster of ['a', 'b']) lists.report({ cluster, what: 'changed' });
    expect([lists.takeChanges(), lists.takeChanges()]).toEqual([true, false]);
  });

  it('is said once for each cluster that cannot be watched', async () => {
    const { lists, said } = await open();
    for (const cluster of ['a', 'a', 'b', 'a']) lists.report({ cluster, what: 'refused', message: 'no' });
    expect(said).toMatchObject([
      { message: 'cluster cannot be watched', cluster: 'a', error: 'no' },
      { message: 'cluster cannot be watched', cluster: 'b', error: 'no' },
    ]);
    expect(lists.takeChanges()).toBe(false);
  });
});
