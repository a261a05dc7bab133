import type { Part } from '../part.ts';
import { benchClusters } from './clusters.ts';
import { benchConsole } from './console.ts';
import { benchForecast, benchMixedForecast } from './forecast.ts';
import { benchGrowthClusters } from './growth-clusters.ts';
import { benchGrowthShards } from './growth-shards.ts';
import { benchHostile } from './hostile.ts';
import { benchIncumbent, benchLargeIncumbent } from './incumbent.ts';
import { benchInstance } from './instance.ts';
import { benchRender } from './render.ts';
import { benchRollouts } from './rollouts.ts';
import { benchScaling } from './scaling.ts';
import { benchSize } from './size.ts';
import { benchStart } from './start.ts';
import { benchUpgrades } from './upgrades.ts';
import { benchWatches } from './watches.ts';

/** The parts of a run, by the name that `ONLY` takes. */
export const PARTS: Readonly<Record<string, Part>> = {
  instance: benchInstance,
  hostile: benchHostile,
  render: benchRender,
  start: benchStart,
  upgrades: benchUpgrades,
  forecast: benchForecast,
  rollouts: benchRollouts,
  incumbent: benchIncumbent,
  clusters: () => benchClusters(60),
  watches: benchWatches,
  size: benchSize,
};

/** Parts that take long: they run only when named. */
export const LONG_PARTS: Readonly<Record<string, Part>> = {
  scaling: benchScaling,
  memory: () => benchClusters(1_000),
  console: benchConsole,
  'forecast-mixed': benchMixedForecast,
  'incumbent-large': benchLargeIncumbent,
  growth: () => [...benchGrowthClusters(), ...benchGrowthShards()],
};
