import { chromiumPath } from '../../support/console-browser.ts';
import { loadPages, type PageLoads } from '../console-loads.ts';
import { type Row, timeText } from '../row.ts';

const LARGE = { clusters: 5_000, integrations: 40, shardsEach: 50 };
const SMALL = { clusters: 100, integrations: 10, shardsEach: 10 };
const SIZE = '5,000 clusters and 2,000 shards';
/** A page shows as many rows of any fleet: what is left is finding them. */
const FIRST_BYTE = { atMost: 3 };
const RENDER = { atMost: 2 };
const REFRESH = { atMost: 0.05 };

const NAMES: Readonly<Record<string, string>> = { CLUSTER: 'one cluster', SHARD: 'one shard', VERDICT: 'one verdict' };

/** The console in a browser with a large fleet, beside the same pages with 100 clusters and 100 shards. */
export async function benchConsole(): Promise<Row[]> {
  const chromium = chromiumPath();
  if (chromium === undefined)
    return [{ what: `console with ${SIZE}`, echelon: 'not measured: no chromium, set CHROMIUM_BIN' }];
  const { loads, page, refresh } = await loadPages(chromium, LARGE, SMALL);
  return [
    ...loads.flatMap(rowsOf),
    {
      what: `console with ${SIZE}, /clusters: a refresh in which nothing changed`,
      echelon: `${refresh} bytes`,
      peer: { name: 'the whole page', measured: `${page} bytes` },
      ...{ ratio: refresh / page, limit: REFRESH },
    },
  ];
}

function rowsOf({ path, small, large, first, firstByteRatio, renderRatio }: PageLoads): Row[] {
  const what = `console with ${SIZE}, ${NAMES[path] ?? path}`;
  const peer = (milliseconds: number) => ({ name: '100 of each', measured: timeText(milliseconds) });
  return [
    {
      what: `${what}: first byte`,
      echelon: `${timeText(large.firstByte)}, ${timeText(first.firstByte)} for the first load of an observation`,
      ...{ peer: peer(small.firstByte), ratio: firstByteRatio, limit: FIRST_BYTE },
    },
    {
      what: `${what}: full render`,
      echelon: `${timeText(large.render)}, ${large.elements} elements, ${Math.round(large.bytes / 1_024)} KiB`,
      ...{ peer: peer(small.render), ratio: renderRatio, limit: RENDER },
    },
  ];
}
