import * as z from 'zod';
import { byText, defined, EchelonError, messageOf } from '../../base/index.ts';
import { MAX_MEMBERS } from '../policies/fields.ts';
import {
  cleanMembers,
  type Labels,
  organizationKey,
  PREFIX,
  SECTOR_LABELS,
  sectorKey,
  splitCsv,
} from '../policies/label-keys.ts';
import { parseOrganizationLabels } from '../policies/labels.ts';
import { error, type Fault } from '../policies/org-spec.ts';
import { MAX_SECTORS } from '../policies/sectors.ts';
import { refuseErrors } from './findings.ts';
import { editFaults, labelDiff } from './label-changes.ts';
import { tornFaults } from './policies.ts';

/** The result of an edit of an organization's labels. */
interface EditedLabels {
  /** In file format. */
  readonly json: object;
  readonly labels: Labels;
}

/** An edit of some labels of an organization. */
export interface OrganizationEdit {
  /** Whether a label is the edit's to change. */
  managed(key: string): boolean;
  edit(current: Labels): EditedLabels;
}

/** Sets whose history an organization uses, and who may use its own. */
export function inheritanceEdit(given: InheritanceJson, replace: boolean): OrganizationEdit {
  return {
    managed: isInheritanceKey,
    edit: (current) => {
      const { inherit, publish } = parseOrganizationLabels(current, { strict: true });
      const json = editInheritance({ inherit: [...inherit], publish: [...publish] }, given, replace);
      return { json, labels: inheritanceLabels(json) };
    },
  };
}

/** Sets an organization's sectors. Refuses names and dependencies that labels cannot represent. */
export function sectorsEdit(edit: SectorEdit): OrganizationEdit {
  for (const { name, dependencies = [] } of edit.add) {
    const torn = tornFaults(sectorKey('dependencies', name), dependencies);
    refuseErrors(`sector ${name}`, [...sectorNameFaults(name), ...torn]);
  }
  return {
    managed: isSectorKey,
    edit: (current) => {
      const sectors = editSectors(ownSectors(current), edit);
      return { json: sectors, labels: sectorLabels(sectors, current) };
    },
  };
}

/** Blocks and unblocks versions for a whole organization. */
export function versionBlocksEdit(edit: ListEdit): OrganizationEdit {
  return listEdit('blockedVersions', edit);
}

/** Adds and removes freezes of a whole organization. */
export function freezesEdit(edit: ListEdit): OrganizationEdit {
  return listEdit('freezes', edit);
}

/** Refuses members that labels cannot represent. */
function listEdit(label: ListLabel, edit: ListEdit): OrganizationEdit {
  const key = organizationKey(label);
  refuseErrors('the list', tornFaults(key, editList(label, [], { ...edit, remove: [] })));
  return {
    managed: (each) => each === key,
    edit: (current) => {
      const members = editList(label, listIn(label, current), edit);
      return { json: members, labels: listLabels(label, members, current) };
    },
  };
}

/** The result of an edit in file format. Refuses what the scheduler would not accept, unless it was there before. */
export function editedJson({ edit, managed }: OrganizationEdit, current: Labels): object {
  const { json, labels } = edit(current);
  refuseErrors('this', editFaults(current, labelDiff(current, labels, managed)));
  return json;
}

/** Regular expressions, or times without upgrades, in a file. */
export const organizationListShape = z.array(z.string()).max(MAX_MEMBERS);

/** The label that an edit is about. */
type ListLabel = 'blockedVersions' | 'freezes';

/** Blocks or freezes of an organization, and what changes in them. */
interface ListEdit {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** Replaces all existing ones. */
  readonly replace: boolean;
}

/** The list after the edit: existing members first, in their order. */
function editList(label: ListLabel, current: readonly string[], edit: ListEdit): readonly string[] {
  const gone = new Set(edit.remove.map(withoutCommas));
  const wanted = [...(edit.replace ? [] : current), ...edit.add.map(withoutCommas)];
  return cleanMembers(wanted).members.filter((member) => !namesOf(label, member).some((name) => gone.has(name)));
}

/** An empty list is kept as an empty value: it is a decision to have none. */
function listLabels(label: ListLabel, members: readonly string[], current: Labels): Labels {
  const key = organizationKey(label);
  return members.length === 0 && current[key] === undefined ? {} : { [key]: members.join(',') };
}

/** Members as in the label, invalid ones too: it must be possible to remove them. */
export function listIn(label: ListLabel, labels: Labels): string[] {
  const members = (labels[organizationKey(label)] ?? '').split(',').map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== ''))];
}

/** A freeze is known by its times too: nobody types a reason twice. */
function namesOf(label: ListLabel, member: string): readonly string[] {
  return label === 'freezes' ? [member, member.replace(/=.*$/s, '').trim()] : [member];
}

/** Blanks and commas around a member are typing leftovers. */
function withoutCommas(member: string): string {
  return member.replaceAll(/^[\s,]+|[\s,]+$/g, '');
}

const SECTOR = z.strictObject({
  dependencies: z.array(z.string()).exactOptional(),
  maxParallelUpgrades: z.string().exactOptional(),
  name: z.string().min(1),
});

/** A sector in file format; the keys are those of the existing OCM plugin. */
export type SectorJson = z.infer<typeof SECTOR>;

export const sectorsShape = z.array(SECTOR).max(MAX_SECTORS);

export interface SectorEdit {
  /** Their dependencies are added; a limit replaces the existing one. */
  readonly add: readonly SectorJson[];
  /** Their dependencies are removed; a sector without any is removed itself. */
  readonly remove: readonly SectorJson[];
  /** Replaces all existing sectors. */
  readonly replace: boolean;
}

/** Sectors with their own label, by name; those that are only dependencies are left out. */
export function ownSectors(labels: Labels): SectorJson[] {
  const names = Object.keys(labels).flatMap((key) =>
    GROUPS.flatMap((prefix) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])),
  );
  return [...new Set(names)].sort(byText).map((name) => {
    const dependencies = membersOf(labels[sectorKey('dependencies', name)] ?? '');
    const limit = labels[sectorKey('maxParallelUpgrades', name)];
    return sectorJson(name, dependencies, limit);
  });
}

/** The sectors after the edit, by name. */
export function editSectors(current: readonly SectorJson[], { add, remove, replace }: SectorEdit): SectorJson[] {
  const sectors = new Map((replace ? [] : current).map((sector) => [sector.name, sector]));
  for (const { name, dependencies = [], maxParallelUpgrades } of add) {
    const known = sectors.get(name);
    const all = cleanMembers([...(known?.dependencies ?? []), ...dependencies]).members;
    sectors.set(name, sectorJson(name, all, maxParallelUpgrades ?? known?.maxParallelUpgrades));
  }
  for (const { name, dependencies = [] } of remove) {
    const known = sectors.get(name);
    if (dependencies.length === 0) sectors.delete(name);
    else if (known !== undefined) {
      const left = (known.dependencies ?? []).filter((dependency) => !dependencies.includes(dependency));
      sectors.set(name, sectorJson(name, left, known.maxParallelUpgrades));
    }
  }
  return [...sectors.values()].sort((a, b) => byText(a.name, b.name));
}

/**
 * The labels of sectors. A sector without dependencies gets an empty label where nothing else declares it, as a limit
 * alone would have no effect.
 */
export function sectorLabels(sectors: readonly SectorJson[], current: Labels): Labels {
  const declared = new Set(sectors.flatMap(({ dependencies = [] }) => dependencies));
  const labels = new Map<string, string>();
  for (const { name, dependencies = [], maxParallelUpgrades } of sectors) {
    const key = sectorKey('dependencies', name);
    const isNeeded = dependencies.length > 0 || !declared.has(name) || current[key] !== undefined;
    if (isNeeded) labels.set(key, dependencies.join(','));
    if (maxParallelUpgrades !== undefined) labels.set(sectorKey('maxParallelUpgrades', name), maxParallelUpgrades);
  }
  return Object.fromEntries(labels);
}

/** `A=B,C`; without `=` only the name. */
export function parseDependencies(text: string): SectorJson {
  const [name = '', ...rest] = text.split('=');
  return sectorJson(name.trim(), membersOf(rest.join('=')), undefined);
}

/** `A=2` or `A=50%`; undefined for anything else. */
export function parseLimit(text: string): SectorJson | undefined {
  const [, name, limit] = /^\s*([^=]+?)\s*=\s*(\S+)\s*$/.exec(text) ?? [];
  return name === undefined || limit === undefined ? undefined : sectorJson(name, [], limit);
}

/** A name is the end of a label key, so not every text is valid. */
function sectorNameFaults(name: string): Fault[] {
  if (/^[A-Za-z0-9._-]{1,200}$/.test(name)) return [];
  const message = `${JSON.stringify(name)} cannot be part of a label key`;
  return [error(sectorKey('dependencies', name), message, 'use letters, digits, dots, dashes and underscores')];
}

function isSectorKey(key: string): boolean {
  return GROUPS.some((prefix) => key.startsWith(prefix));
}

const GROUPS = Object.values(SECTOR_LABELS).map(({ suffix }) => PREFIX + suffix);

function membersOf(text: string): readonly string[] {
  return cleanMembers(splitCsv(text, { strict: true })).members;
}

function sectorJson(name: string, dependencies: readonly string[], limit: string | undefined): SectorJson {
  return {
    ...(dependencies.length === 0 ? {} : { dependencies: [...dependencies] }),
    ...defined({ maxParallelUpgrades: limit }),
    name,
  };
}

const ids = z.array(z.string()).max(MAX_MEMBERS).exactOptional();

/** Ids of organizations, in a file. */
export const inheritanceShape = z.strictObject({ inherit: ids, publish: ids });
export type InheritanceJson = z.infer<typeof inheritanceShape>;

/** The organizations after the edit; each member may itself be several, separated by commas. */
function editInheritance(current: InheritanceJson, given: InheritanceJson, replace: boolean): InheritanceJson {
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

function inheritanceLabels({ inherit = [], publish = [] }: InheritanceJson): Labels {
  return {
    ...(inherit.length === 0 ? {} : { [organizationKey('inherit')]: inherit.join(',') }),
    ...(publish.length === 0 ? {} : { [organizationKey('publish')]: publish.join(',') }),
  };
}

function isInheritanceKey(key: string): boolean {
  return key === organizationKey('inherit') || key === organizationKey('publish');
}

/** Issues shown for an invalid document. */
const MOST_ISSUES = 5;

/** A JSON document of a user, from what is called `name`. */
export function parsedDocument<T>(content: string, name: string, shape: z.ZodType<T>): T {
  const result = shape.safeParse(parse(content, name));
  if (result.success) return result.data;
  throw documentFault(`${name} is invalid: ${issuesText(result.error)}`);
}

export function documentFault(message: string): EchelonError {
  return new EchelonError({
    code: 'INPUT_INVALID',
    message,
    hint: 'show the format with the same command, flags and --dump',
  });
}

function issuesText({ issues }: z.ZodError): string {
  const shown = z.prettifyError(new z.ZodError(issues.slice(0, MOST_ISSUES))).replaceAll(/\s+/g, ' ');
  const more = issues.length - MOST_ISSUES;
  return more > 0 ? `${shown}, and ${more} more` : shown;
}

/** Editors on some systems put a byte order mark in front. */
function parse(content: string, name: string): unknown {
  if (content.trim() === '') throw documentFault(`${name} is empty`);
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    throw documentFault(`${name} is not JSON: ${messageOf(thrown)}`);
  }
}
