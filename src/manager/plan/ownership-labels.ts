import { sha256Of } from '../../base/index.ts';

/** On every object that Echelon operates, to find it in namespaces that no integration declares any more. */
export const LABEL = { environment: 'echelon/environment', instance: 'echelon/instance' } as const;

const LONGEST = 63;
const VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A name as a label value: the name itself if valid, else a hash of it. */
export function labelValue(name: string): string {
  if (name.length <= LONGEST && VALUE.test(name)) return name;
  return `sha256-${sha256Of(name).slice(0, 40)}`;
}

export interface OwnershipLabels {
  readonly environment?: string;
  /** Identifies this data repository among others that operate the same cluster; undefined for one without settings. */
  readonly instance?: string;
}

export function labelsOf({ environment, instance }: OwnershipLabels): Record<string, string> {
  return {
    ...(environment === undefined ? {} : { [LABEL.environment]: labelValue(environment) }),
    ...(instance === undefined ? {} : { [LABEL.instance]: labelValue(instance) }),
  };
}

/** The label selector for these labels. */
export function selectorOf(ownership: OwnershipLabels): string {
  return Object.entries(labelsOf(ownership))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
