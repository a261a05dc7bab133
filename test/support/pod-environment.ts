import { helmChart } from '../../src/clients/helm/index.ts';
import { loadYamlDocuments } from '../../src/instance/index.ts';
import { processTemplate } from '../../src/manager/desired/template.ts';
import { OWN_CHART, testHelm } from './render-chart.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface RenderedPod {
  readonly kind: string;
  readonly spec: {
    readonly template?: PodTemplate;
    readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
  };
}

interface PodTemplate {
  readonly spec: { readonly containers: readonly { readonly name: string; readonly env: readonly Variable[] }[] };
}

type Template = Parameters<typeof processTemplate>[0];

/** The variables of the integration's container in every pod that the chart makes of these values, by name of the object. */
export async function podEnvironments(
  values: object,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const text = await helmChart({ helm: await testHelm(), chart: OWN_CHART }).render(values);
  const [template] = loadYamlDocuments(text) as [Template];
  const objects = processTemplate(template, new Map(Object.entries(parameters))) as unknown as readonly RenderedPod[];
  return objects.filter(({ kind }) => kind !== 'Service').map(environmentOf);
}

/** As the kubelet makes it in a namespace that has none of the optional objects. */
function environmentOf({ spec }: RenderedPod): Readonly<Record<string, string>> {
  const pod = spec.template ?? spec.jobTemplate?.spec.template;
  const env = pod?.spec.containers.find(({ name }) => name === 'int')?.env ?? [];
  return Object.fromEntries(
    env.flatMap(({ name, value, valueFrom }): [string, string][] => {
      if (valueFrom === undefined) return [[name, value ?? '']];
      if (Object.values(valueFrom).every(({ optional }) => optional === true)) return [];
      throw new Error(`the pod does not start: ${name} is not there`);
    }),
  );
}
