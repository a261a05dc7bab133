import { posix } from 'node:path';
import { EchelonError } from '../../base/index.ts';

/** The folder of a chart in manager.yml: absolute, or below the folder of the instance, if it is one. */
export function declaredChart(chart: string | undefined, root: string | undefined): string | undefined {
  if (chart === undefined || posix.isAbsolute(chart)) return chart;
  if (root !== undefined) return posix.join(root, chart);
  throw new EchelonError({
    code: 'CHART_NOT_FOUND',
    message: `manager.yml names the chart ${chart}, which only a directory has; the instance is a bundle or on a server`,
    hint: 'use an absolute path in manager.yml, or pass --chart',
  });
}
