import { isJson } from '../../base/index.ts';
import type { KubeObject } from './desired-namespace.ts';
import { identityOf, podTemplateOf } from './identity.ts';
import { isDnsName, isLabelValue, LONGEST_LABEL, LONGEST_NAME } from './name-limits.ts';

/** What Kubernetes would reject. */
export interface NameFault {
  /** Absent for an object that belongs to no single integration. */
  readonly integration?: string;
  readonly message: string;
}

/** The first name or label of each integration's objects that Kubernetes would reject, whichever chart wrote it. */
export function nameFaults(objects: readonly KubeObject[]): NameFault[] {
  const byIntegration = new Map<string | undefined, NameFault>();
  for (const object of objects) {
    const integration = identityOf(object)?.integration;
    const message = byIntegration.has(integration) ? undefined : faultOf(object);
    if (message === undefined) continue;
    const told = `${object.kind} ${object.metadata.name}: ${message}`;
    byIntegration.set(integration, { message: told, ...(integration === undefined ? {} : { integration }) });
  }
  return [...byIntegration.values()];
}

function faultOf(object: KubeObject): string | undefined {
  const { kind, metadata } = object;
  const longest = LONGEST_NAME[kind as keyof typeof LONGEST_NAME];
  if (longest !== undefined && !isDnsName(metadata.name)) return 'the name is not a valid DNS-1123 name';
  if (longest !== undefined && metadata.name.length > longest) {
    return `the name has ${metadata.name.length} characters; the limit for a ${kind} is ${longest}`;
  }
  return labelFault(metadata) ?? labelFault(podTemplateOf(object)?.['metadata']);
}

function labelFault(metadata: unknown): string | undefined {
  const labels = isJson(metadata) && isJson(metadata['labels']) ? metadata['labels'] : {};
  for (const [label, value] of Object.entries(labels)) {
    const text = String(value);
    if (text.length > LONGEST_LABEL) {
      return `the label ${label} has ${text.length} characters; the limit is ${LONGEST_LABEL}`;
    }
    if (!isLabelValue(text)) return `the value of the label ${label} is not valid: ${JSON.stringify(text)}`;
  }
  return undefined;
}
