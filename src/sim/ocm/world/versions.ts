import { stamp } from '../instants.ts';
import type { Field } from '../search/compile.ts';
import { minorOf, type Release } from '../version-graph.ts';
import { versionHref, versionId } from './hrefs.ts';
import { type ListQuery, matchingRows, type Page, pageOf } from './list.ts';
import { notFound } from './refusals.ts';
import type { View } from './state.ts';
import type { WireVersion } from './wire.ts';

const SERVICE = 'clusters_mgmt';

/** A release in one channel group. */
interface Row {
  readonly id: string;
  readonly group: string;
  readonly release: Release;
  readonly isDefault: boolean;
}

const FIELDS: Readonly<Record<string, Field<Row>>> = {
  id: { type: 'text', read: ({ id }) => id },
  raw_id: { type: 'text', read: ({ release }) => release.version },
  channel_group: { type: 'text', read: ({ group }) => group },
  enabled: { type: 'boolean', read: () => true },
  default: { type: 'boolean', read: ({ isDefault }) => isDefault },
  rosa_enabled: { type: 'boolean', read: ({ release }) => release.rosa },
  hosted_control_plane_enabled: { type: 'boolean', read: ({ release }) => release.hosted },
};

export function listVersions(view: View, query: ListQuery): Page<WireVersion> {
  const rows = matchingRows(SERVICE, rowsOf(view), (name) => FIELDS[name], query);
  return pageOf({ service: SERVICE, kind: 'Version' }, view, query, rows, (row) => wireVersion(view, row));
}

export function getVersion(view: View, id: string): WireVersion {
  const row = rowsOf(view).find((each) => each.id === id);
  if (row === undefined) throw notFound(SERVICE, `Version '${id}' not found`);
  return wireVersion(view, row);
}

/** The default is the newest version in the stable group. */
function rowsOf({ graph, now }: View): Row[] {
  const groups = [...new Set(graph.releases.flatMap((release) => Object.keys(release.groups)))].sort();
  const newest = graph.offeredBy('stable', now).at(-1);
  return groups.flatMap((group) =>
    graph.offeredBy(group, now).map((release) => ({
      id: versionId(release.version, group),
      group,
      release,
      isDefault: group === 'stable' && release === newest,
    })),
  );
}

function wireVersion({ graph, now }: View, { id, group, release, isDefault }: Row): WireVersion {
  const { version } = release;
  const channel = `${group}-${minorOf(version)}`;
  return {
    kind: 'Version',
    id,
    href: versionHref(version, group),
    raw_id: version,
    channel_group: group,
    enabled: true,
    default: isDefault,
    rosa_enabled: release.rosa,
    hosted_control_plane_enabled: release.hosted,
    hosted_control_plane_default: isDefault && release.hosted,
    ...(release.endOfLifeAt === undefined ? {} : { end_of_life_timestamp: stamp(release.endOfLifeAt) }),
    available_upgrades: graph.upgrades(version, channel, now, false),
    available_channels: graph.channels(version, now),
  };
}
