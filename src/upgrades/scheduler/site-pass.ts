import { type Instant, MICROS } from '../../gates/index.ts';
import type { VersionGate } from '../engine/facts.ts';
import type { SiteMemory } from './memory.ts';
import type { Site } from './site.ts';
import type { UpgradeApi } from './upgrade-api.ts';

/** Channels of a version change when a minor is released. */
const CHANNELS_LAST = MICROS.hour;

/** What the organizations of one OCM share during one pass; each thing is read once, and only on demand. */
export interface SitePass {
  readonly site: Site;
  readonly api: UpgradeApi;
  readonly memory: SiteMemory;
  gates(): Promise<readonly VersionGate[]>;
  /** Of a version, read through a cluster that runs it. */
  channels(versionId: string, clusterId: string): Promise<readonly string[]>;
}

export function sitePass(site: Site, api: UpgradeApi, memory: SiteMemory, now: () => Instant): SitePass {
  let gates: Promise<readonly VersionGate[]> | undefined;
  const channels = new Map<string, Promise<readonly string[]>>();
  return {
    site,
    api,
    memory,
    gates: () => {
      gates ??= readGates(api);
      return gates;
    },
    channels: (versionId, clusterId) => {
      const known = channels.get(versionId) ?? readChannels(api, memory, versionId, clusterId, now());
      channels.set(versionId, known);
      return known;
    },
  };
}

/** OCM itself enforces version gates, so an unreadable one lets nothing through. */
async function readGates(api: UpgradeApi): Promise<VersionGate[]> {
  const { items } = await api.listVersionGates();
  return items.map(({ id, versionPrefix, label }) => ({ id, prefix: versionPrefix, label }));
}

async function readChannels(
  api: UpgradeApi,
  { channels }: SiteMemory,
  versionId: string,
  clusterId: string,
  now: Instant,
): Promise<readonly string[]> {
  const known = channels.get(versionId);
  if (known !== undefined && now - known.readAt < CHANNELS_LAST) return known.value;
  const value = await api.availableChannels(clusterId);
  channels.set(versionId, { readAt: now, value });
  return value;
}
