import * as z from 'zod';
import { MAX_MEMBERS } from '../policies/fields.ts';
import { cleanMembers, type Labels, organizationKey } from '../policies/label-keys.ts';

const ids = z.array(z.string()).max(MAX_MEMBERS).exactOptional();

/** Ids of organizations, in a file. */
export const inheritanceShape = z.strictObject({ inherit: ids, publish: ids });
export type InheritanceJson = z.infer<typeof inheritanceShape>;

/** The organizations after the edit; each member may itself be several, separated by commas. */
export function editInheritance(current: InheritanceJson, given: InheritanceJson, replace: boolean): InheritanceJson {
  const merged = (name: keyof InheritanceJson): readonly string[] => {
    const all = [...(replace ? [] : (current[name] ?? [])), ...(given[name] ?? []).flatMap((each) => each.split(','))];
    return cleanMembers(all).members;
  };
  const [inherit, publish] = [merged('inherit'), merged('publish')];
  return {
    ...(inherit.length === 0 ? {} : { inherit: [...inherit] }),
    ...(publish.length === 0 ? {} : { publish: [...publish] }),
  };
}

export function inheritanceLabels({ inherit = [], publish = [] }: InheritanceJson): Labels {
  return {
    ...(inherit.length === 0 ? {} : { [organizationKey('inherit')]: inherit.join(',') }),
    ...(publish.length === 0 ? {} : { [organizationKey('publish')]: publish.join(',') }),
  };
}

export function isInheritanceKey(key: string): boolean {
  return key === organizationKey('inherit') || key === organizationKey('publish');
}
