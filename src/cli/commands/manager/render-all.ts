import { defined } from '../../../base/index.ts';
import { type Rendered, renderGroups } from '../../../manager/index.ts';
import type { Io } from '../../io.ts';
import { progressOn } from '../../output/progress.ts';
import { type ChartFlags, type ManagerContext, type ManagerFlags, openCache, openChart } from './context.ts';
import { type ImageFlags, parameterSources } from './image-parameters.ts';

/** What decides which objects a manager wants. */
export interface DesiredFlags extends ManagerFlags, ChartFlags, ImageFlags {}

/** The desired objects of everything that was selected, with progress on standard error. */
export async function renderAll(io: Io, flags: DesiredFlags, context: ManagerContext): Promise<Rendered> {
  if (context.groups.length === 0) return { namespaces: [], failures: [] };
  const cache = openCache(io, flags);
  const progress = progressOn(io);
  try {
    return await renderGroups(context.groups, {
      chart: await openChart(io, flags),
      ...defined({ cache }),
      parameters: parameterSources(io, flags, context.instance),
      signal: io.signal,
      onProgress: progress.step,
    });
  } finally {
    progress.end();
  }
}
