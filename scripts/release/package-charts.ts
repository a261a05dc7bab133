import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { REPO, repack, run } from './run.ts';

/** Packages every chart as `NAME-chart-VERSION.tgz`: the package of npm is called `NAME-VERSION.tgz` already. */
export function packageCharts(helm: string, target: string, scratch: string, sourceDate: number): void {
  for (const chart of readdirSync(join(REPO, 'charts')).sort()) {
    const folder = join(scratch, `chart-${chart}`);
    mkdirSync(folder);
    run(helm, ['package', join(REPO, 'charts', chart), '--destination', folder]);
    const [packed = ''] = readdirSync(folder);
    const version = basename(packed).slice(chart.length + 1);
    repack(join(folder, packed), join(target, `${chart}-chart-${version}`), scratch, sourceDate);
  }
}
