import { describe, expect, it } from 'vitest';
import { DEFAULT_RULES, type Forecast, type UpgradesService } from '../../upgrades/index.ts';
import type { UpgradesData } from '../state.ts';
import { observeUpgrades } from './observe-upgrades.ts';

const NOW = new Date('2026-03-02T10:00:00Z');

/** What is shown, one after the other, of a fleet of so many clusters. */
async function shownOf(clusters: number): Promise<string[]> {
  const made = { plan: { environments: [], organizations: [] } };
  const seen = { made, clusters: Array.from({ length: clusters }, () => ({})), organizations: [] };
  const observe = observeUpgrades({
    open: async () => ({ rules: DEFAULT_RULES, observe: async () => seen }) as unknown as UpgradesService,
    forecast: async () => ({ clusters: [] }) as unknown as Forecast,
    ...{ days: 30, clock: { now: () => NOW }, named: { environment: true, source: true } },
  });
  const shown: UpgradesData[] = [];
  const last = await observe(new AbortController().signal, (data) => shown.push(data));
  if (last.kind === 'seen') shown.push(last.data);
  return shown.map(({ outlook }) => outlook.kind);
}

describe('what is observed of clusters', () => {
  it.each([
    { clusters: 1, shown: ['ready'] },
    { clusters: 2_000, shown: ['ready'] },
    { clusters: 2_001, shown: ['making', 'ready'] },
  ])('is shown with the forecast, or before it in a large fleet: $clusters', async ({ clusters, shown }) => {
    expect(await shownOf(clusters)).toEqual(shown);
  });
});
