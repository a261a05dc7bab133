/** Keeps labels on namespaces as NAMESPACE_LABELS declares them: one line "NAMESPACE KEY=VALUE" for each label. */
import { defineIntegration, runIntegration } from 'echelon/integration';

type Labels = Readonly<Record<string, string>>;

interface NamespaceList {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly labels?: Labels } }[];
}

function declaredLabels(text: string): ReadonlyMap<string, Labels> {
  const declared = new Map<string, Labels>();
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [namespace = '', label = ''] = line.trim().split(/\s+/);
    const [key = '', value = ''] = label.split('=');
    declared.set(namespace, { ...declared.get(namespace), [key]: value });
  }
  return declared;
}

const integration = defineIntegration<Labels, Labels, Labels>({
  name: 'namespace-labels',
  version: '1',
  concurrency: 4,
  desired: async ({ env }) => declaredLabels(env['NAMESPACE_LABELS'] ?? ''),
  observe: async ({ kube }, desired) => {
    const { items } = (await kube.get('/api/v1/namespaces')) as NamespaceList;
    const declared = items.filter(({ metadata }) => desired.has(metadata.name));
    return new Map(declared.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  },
  diff: ({ observed = {}, desired = {} }) => {
    const changed = Object.entries(desired).filter(([key, value]) => observed[key] !== value);
    return changed.length === 0 ? [] : [Object.fromEntries(changed)];
  },
  act: async ({ key, action: labels }, { kube }) => {
    await kube.patch(`/api/v1/namespaces/${key}`, { metadata: { labels } });
  },
});

process.exitCode = await runIntegration(integration);
