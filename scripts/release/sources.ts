import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { REPO, run } from './run.ts';

export interface Sources {
  readonly name: string;
  readonly version: string;
  /** The commit; empty outside a clone. */
  readonly revision: string;
  /** Of the commit, in seconds since 1970. SOURCE_DATE_EPOCH overrides it. */
  readonly sourceDate: number;
}

export function readSources(env: NodeJS.ProcessEnv): Sources {
  const { name, version } = JSON.parse(readFileSync(join(REPO, 'package.json'), 'utf8')) as Record<string, string>;
  const { SOURCE_DATE_EPOCH: epoch, REVISION: revision } = env;
  const sourceDate = epoch || git('log', '-1', '--format=%ct');
  if (!/^\d+$/.test(sourceDate))
    throw new Error('the time of the sources is not known: set SOURCE_DATE_EPOCH to seconds since 1970');
  return {
    ...{ name: name ?? '', version: version ?? '' },
    ...{ revision: revision ?? git('rev-parse', 'HEAD'), sourceDate: Number(sourceDate) },
  };
}

function git(...args: string[]): string {
  try {
    return run('git', args).trim();
  } catch {
    return '';
  }
}

export interface ChartFile {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
}

export function readCharts(): ChartFile[] {
  const folder = join(REPO, 'charts');
  return readdirSync(folder)
    .sort()
    .map((chart) => load(readFileSync(join(folder, chart, 'Chart.yaml'), 'utf8')) as ChartFile);
}
