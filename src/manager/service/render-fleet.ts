import { defined } from '../../base/index.ts';
import { upstreamImage } from '../../instance/index.ts';
import type { NamespaceGroup } from '../desired/group.ts';
import { givenSources, parameterSources } from '../desired/image-parameters.ts';
import { type Rendered, renderGroups } from '../desired/render.ts';
import { joinedParts, type RenderedPart, upstreamParts } from '../desired/upstream-parts.ts';
import { type NamespaceValues, valuesOf } from '../desired/values.ts';
import type { OperatedFleet } from './operated-fleet.ts';
import type { ManagerPorts } from './ports.ts';

type RenderPorts = Pick<ManagerPorts, 'chart' | 'cache' | 'resolveRef' | 'onProgress' | 'signal'>;

/** The desired objects: with a manager.yml each integration has the image and chart of its upstream, else all have one. */
export async function renderFleet(fleet: OperatedFleet, ports: RenderPorts): Promise<Rendered> {
  const { groups, settings, instance } = fleet;
  if (groups.length === 0) return { namespaces: [], failures: [] };
  const render = async (of: readonly NamespaceGroup[], upstream: string, declared?: ReturnType<typeof upstreamImage>) =>
    renderGroups(of, {
      chart: await ports.chart(declared?.chart),
      parameters: parameterSources(settings.images, { upstream, ...defined({ declared }) }, instance, ports.resolveRef),
      signal: ports.signal,
      ...defined({ cache: ports.cache, onProgress: ports.onProgress }),
    });
  if (settings.file === undefined) return render(groups, settings.caller);
  const parts: RenderedPart[] = [];
  for (const { upstream, groups: own } of upstreamParts(groups)) {
    const caller = upstream ?? settings.caller;
    parts.push({ caller, rendered: await render(own, caller, upstreamImage(settings.file, upstream)) });
  }
  return joinedParts(parts);
}

/** The values document of every namespace; each entry with the image of its upstream. */
export function valuesIn(fleet: OperatedFleet): OperatedFleet & { readonly values: readonly NamespaceValues[] } {
  const { images, file } = fleet.settings;
  const values = fleet.groups.map((group): NamespaceValues => {
    const entries = group.entries.map((entry) => {
      const sources = givenSources(images, upstreamImage(file, entry.integration.upstream))(group);
      return valuesOf({ ...group, entries: [entry] }, sources);
    });
    return {
      integrations: entries.flatMap(({ integrations }) => integrations),
      cronjobs: entries.flatMap(({ cronjobs }) => cronjobs),
    };
  });
  return { ...fleet, values };
}
