import * as z from 'zod';
import { byText, defined } from '../../base/index.ts';
import { instantText } from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/org-spec.ts';
import { instantShape } from '../state-json.ts';
import type { Past } from './past.ts';

/** The stored form: versions as pairs, since there is one for every cluster. */
export const pastShape = z
  .object({
    clusters: z.record(
      z.string(),
      z.object({ name: z.string(), versions: z.array(z.tuple([z.string(), instantShape])) }),
    ),
    scheduled: z.array(
      z.object({
        cluster: z.string(),
        name: z.string(),
        version: z.string(),
        node_pool: z.string().exactOptional(),
        at: instantShape,
        next_run: instantShape,
      }),
    ),
  })
  .transform(
    ({ clusters, scheduled }): Past => ({
      clusters: new Map(
        Object.entries(clusters).map(([uuid, { name, versions }]) => [
          uuid as ClusterUuid,
          { name, versions: versions.map(([version, since]) => ({ version, since })) },
        ]),
      ),
      scheduled: scheduled.map(({ cluster, name, version, node_pool: nodePool, at, next_run: startsAt }) => ({
        ...{ uuid: cluster as ClusterUuid, name, version, at, startsAt },
        ...defined({ nodePool }),
      })),
    }),
  );

/** Nothing where nothing is known, so that a state without a past keeps its bytes. */
export function pastJson({ clusters, scheduled }: Past): object | undefined {
  if (clusters.size === 0 && scheduled.length === 0) return undefined;
  return {
    clusters: Object.fromEntries(
      [...clusters]
        .sort(([a], [b]) => byText(a, b))
        .map(([uuid, { name, versions }]) => [
          uuid,
          { name, versions: versions.map(({ version, since }) => [version, instantText(since)]) },
        ]),
    ),
    scheduled: scheduled.map(({ uuid, name, version, nodePool, at, startsAt }) => ({
      ...{ cluster: uuid, name, version, ...defined({ node_pool: nodePool }) },
      ...{ at: instantText(at), next_run: instantText(startsAt) },
    })),
  };
}
