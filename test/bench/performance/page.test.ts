import { describe, expect, it } from 'vitest';
import type { Results } from '../results.ts';
import type { Row } from '../row.ts';
import { performancePage } from './page.ts';

const peer = { name: 'kubectl 1.35', measured: '2 s', how: 'as its defaults are' };
const within: Row = { what: 'install', echelon: '1 s', peer, ratio: 0.5, limit: { atMost: 1 } };
const over: Row = { what: 'a|b', echelon: '3 s', peer, ratio: 1.23456, limit: { atMost: 1.1 } };

const machine = { cpu: 'X', cores: 2, memoryGib: 8, node: 'v24.21.0', kernel: 'Linux 6.1' };
const part = (...rows: Row[]): Results['parts'][string] => ({ date: '2026-11-16', seconds: 61.4, rows });

function page(...rows: Row[]): string {
  return performancePage({ machine, parts: { clusters: part(...rows) } });
}

describe('the page of performance', () => {
  it('names machine, date and the part that is run again', () => {
    expect(page(within)).toContain('Machine: 2 cores (X), 8 GiB of memory, Node v24.21.0, Linux 6.1.');
    expect(page(within)).toContain('`ONLY=clusters`, measured on 2026-11-16 in 61 s.');
  });

  it.each([
    { rows: [within], missed: 'Every row is within its limit.' },
    { rows: [within, over], missed: '**Missed: 1**\n\n- clusters: a|b: 1.23, limit ≤ 1.1' },
    {
      rows: [{ what: 'w', echelon: 'n', limit: { atMost: 1 } }],
      missed: '**Missed: 1**\n\n- clusters: w: , limit ≤ 1',
    },
  ])('says first what is missed: $missed', ({ rows, missed }) => {
    expect(page(...rows)).toContain(missed);
  });

  it('has a line for each row, and cells that stay cells', () => {
    expect(page(within, over)).toContain('| install | 1 s | kubectl 1.35: 2 s | 0.5 | ≤ 1 |');
    expect(page(within, over)).toContain('| a\\|b | 3 s | kubectl 1.35: 2 s | **1.23, missed** | ≤ 1.1 |');
  });

  it('has its own order, whatever was measured first', () => {
    const written = performancePage({ machine, parts: { scaling: part(), other: part(), incumbent: part(within) } });
    expect(written.match(/^## .*/gm)).toEqual([
      '## Beside the published release',
      '## Four times as much data of others',
      '## other',
      '## How what stands beside was run',
    ]);
  });

  it('says once how a peer was run', () => {
    expect(page(within, over).split('as its defaults are')).toHaveLength(2);
  });

  it('shows the chart of a curve', () => {
    const axes = { x: 'shards', y: 'ms' };
    const curve: Row = { what: 'plan', echelon: '1 s', ratio: 1, points: [{ x: 1, y: 1 }], axes };
    expect(page(curve)).toContain('![ms by shards](../images/clusters-shards-ms.svg)');
    expect(page(within)).not.toContain('.svg');
  });
});
