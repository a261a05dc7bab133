import { count, defined, escapeControls } from '../../../base/index.ts';
import {
  checkPolicies,
  editedJson,
  freezesEdit,
  type InheritanceJson,
  inheritanceEdit,
  inheritanceShape,
  type LabelChange,
  type LabelPlan,
  normalizedPolicies,
  type OrganizationEdit,
  organizationListShape,
  type PolicyJson,
  type PolicyService,
  parseDependencies,
  parseLimit,
  policiesShape,
  type SectorEdit,
  type SectorJson,
  sectorsEdit,
  sectorsShape,
  versionBlocksEdit,
} from '../../../upgrades/index.ts';
import { consent } from '../../consent.ts';
import { EXIT, type Io } from '../../io.ts';
import { document } from '../../output/formats.ts';
import { line, type Paint, paintFor } from '../../output/terminal.ts';
import {
  type AusFlags,
  flagInvalid,
  type InputFlags,
  openAus,
  type ReadStdin,
  readInput,
  refuseBeside,
} from './input.ts';
import { writeFindings } from './views.ts';

export interface ApplyPoliciesFlags extends AusFlags, WriteFlags, InputFlags {
  readonly clusterName?: string;
  readonly schedule?: string;
  readonly workload?: readonly string[];
  readonly soakDays: number;
  readonly sector?: string;
  readonly mutex?: readonly string[];
  readonly blockedVersions?: readonly string[];
  readonly freeze?: readonly string[];
  readonly dump?: boolean;
}

/** Applies policies to the labels of clusters. Labels that are not about policies are not touched. */
export async function applyPolicies(io: Io, flags: ApplyPoliciesFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, {
    ...{ '--cluster-name': flags.clusterName, '--schedule': flags.schedule, '--workload': flags.workload },
    ...{ '--sector': flags.sector, '--mutex': flags.mutex, '--blocked-versions': flags.blockedVersions },
    '--freeze': flags.freeze,
    '--soak-days': flags.soakDays === 0 ? undefined : flags.soakDays,
  });
  const policies = (await readInput(io, flags, policiesShape, stdin)) ?? [policyOfFlags(flags)];
  checkPolicies(policies);
  if (flags.dump === true) {
    io.stdout.write(await document('json', normalizedPolicies(policies)));
    return EXIT.ok;
  }
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true });
  return writePlan(io, service, await service.planPolicies(policies), flags);
}

function policyOfFlags({ clusterName, schedule, workload = [], ...flags }: ApplyPoliciesFlags): PolicyJson {
  if (clusterName === undefined)
    throw flagInvalid('--cluster-name is missing', 'pass the cluster name, or use - or -f');
  if (schedule === undefined) throw flagInvalid('--schedule is missing', 'use a cron schedule in UTC, or weekdays');
  const { blockedVersions = [], mutex = [], sector, freeze } = flags;
  return {
    conditions: {
      ...{ blocked_versions: [...blockedVersions], mutexes: [...mutex], soak_days: flags.soakDays },
      ...defined({ sector, freezes: freeze && [...freeze] }),
    },
    ...{ name: clusterName, schedule, workloads: [...workload] },
  };
}

export interface ApplySectorsFlags extends OrganizationFlags, InputFlags {
  readonly addDep?: readonly string[];
  readonly removeDep?: readonly string[];
  readonly sectorMaxParallelUpgrades?: readonly string[];
}

/** Sets the sectors of an organization, their dependencies, and how many of their clusters upgrade at once. */
export async function applySectors(io: Io, flags: ApplySectorsFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, {
    ...{ '--add-dep': flags.addDep, '--remove-dep': flags.removeDep },
    '--sector-max-parallel-upgrades': flags.sectorMaxParallelUpgrades,
  });
  const given = await readInput(io, flags, sectorsShape, stdin);
  const edit = given === undefined ? editOfFlags(flags) : { add: given, remove: [], replace: flags.replace === true };
  if (given === undefined && edit.add.length === 0 && edit.remove.length === 0) {
    const hint = 'use --add-dep, --remove-dep, --sector-max-parallel-upgrades, - or -f';
    throw flagInvalid('no sector given', hint);
  }
  return changeOrganization(io, flags, sectorsEdit(edit));
}

function editOfFlags(flags: ApplySectorsFlags): SectorEdit {
  const named = (texts: readonly string[] | undefined, flag: string): SectorJson[] =>
    (texts ?? []).map((text) => {
      const sector = parseDependencies(text);
      if (sector.name === '') throw flagInvalid(`${flag} ${text} has no sector name`, 'use the form A=B,C');
      return sector;
    });
  const limits = (flags.sectorMaxParallelUpgrades ?? []).map((text) => {
    const sector = parseLimit(text);
    if (sector !== undefined) return sector;
    throw flagInvalid(
      `--sector-max-parallel-upgrades ${text} is not a valid sector limit`,
      'use the form A=2 or A=50%',
    );
  });
  return {
    add: [...named(flags.addDep, '--add-dep'), ...limits],
    remove: named(flags.removeDep, '--remove-dep'),
    replace: flags.replace === true,
  };
}

export interface ApplyListFlags extends OrganizationFlags, InputFlags {
  readonly blockVersion?: readonly string[];
  readonly unblockVersion?: readonly string[];
  readonly freeze?: readonly string[];
  readonly unfreeze?: readonly string[];
}

interface EditedList {
  readonly verbs: string;
  readonly add: { readonly flag: string; of(flags: ApplyListFlags): readonly string[] | undefined };
  readonly remove: EditedList['add'];
  readonly edit: (edit: Parameters<typeof freezesEdit>[0]) => OrganizationEdit;
}

const LISTS = {
  'version-blocks': {
    verbs: 'block or unblock',
    add: { flag: '--block-version', of: ({ blockVersion }) => blockVersion },
    remove: { flag: '--unblock-version', of: ({ unblockVersion }) => unblockVersion },
    edit: versionBlocksEdit,
  },
  freezes: {
    verbs: 'freeze or unfreeze',
    add: { flag: '--freeze', of: ({ freeze }) => freeze },
    remove: { flag: '--unfreeze', of: ({ unfreeze }) => unfreeze },
    edit: freezesEdit,
  },
} satisfies Readonly<Record<string, EditedList>>;

/** Adds to and removes from a list of an organization: the versions that it blocks, or its times without upgrades. */
export async function applyList(
  io: Io,
  list: keyof typeof LISTS,
  flags: ApplyListFlags,
  stdin: ReadStdin,
): Promise<number> {
  const { verbs, add, remove, edit }: EditedList = LISTS[list];
  refuseBeside(flags, { [add.flag]: add.of(flags), [remove.flag]: remove.of(flags) });
  const given = await readInput(io, flags, organizationListShape, stdin);
  const added = given ?? add.of(flags) ?? [];
  const removed = given === undefined ? (remove.of(flags) ?? []) : [];
  if (given === undefined && added.length === 0 && removed.length === 0) {
    throw flagInvalid(`nothing to ${verbs}`, `use ${add.flag}, ${remove.flag}, - or -f`);
  }
  return changeOrganization(io, flags, edit({ add: added, remove: removed, replace: flags.replace === true }));
}

export interface ApplyInheritanceFlags extends OrganizationFlags, InputFlags {
  readonly inheritFrom?: readonly string[];
  readonly publishTo?: readonly string[];
}

/** Sets whose history an organization uses, and who may use its own. */
export async function applyInheritance(io: Io, flags: ApplyInheritanceFlags, stdin: ReadStdin): Promise<number> {
  refuseBeside(flags, { '--inherit-from': flags.inheritFrom, '--publish-to': flags.publishTo });
  const given = (await readInput(io, flags, inheritanceShape, stdin)) ?? ofFlags(flags);
  return changeOrganization(io, flags, inheritanceEdit(given, flags.replace === true));
}

function ofFlags({ inheritFrom = [], publishTo = [], replace }: ApplyInheritanceFlags): InheritanceJson {
  if (inheritFrom.length === 0 && publishTo.length === 0 && replace !== true) {
    throw flagInvalid('no organization given', 'use --inherit-from, --publish-to, - or -f');
  }
  return { inherit: [...inheritFrom], publish: [...publishTo] };
}

export interface GateAgreementFlags extends AusFlags, WriteFlags {
  readonly clusterName: string;
  readonly version: string;
}

/** Agrees to every version gate of a minor that applies to a cluster. */
export async function applyGateAgreement(io: Io, flags: GateAgreementFlags): Promise<number> {
  if (!/^\d+\.\d+$/.test(flags.version))
    throw flagInvalid(`${flags.version} is not a minor version`, 'use a minor version such as 4.19');
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true });
  const gates = await service.gatesBefore(flags.clusterName, flags.version);
  if (gates.length === 0) io.stdout.write('Nothing to agree to.\n');
  for (const each of gates) {
    if (flags.dryRun !== true) await service.agree(each);
    io.stdout.write(line(`${each.cluster}: ${flags.dryRun === true ? 'would agree' : 'agreed'} to ${each.gate.label}`));
  }
  if (flags.dryRun === true) io.stderr.write('this is a dry run: nothing was changed\n');
  return EXIT.ok;
}

export interface DeletePolicyFlags extends AusFlags, WriteFlags {
  readonly clusterName: string;
}

/** Removes all upgrade labels of a cluster, version gate approvals too; no others. */
export async function deletePolicy(io: Io, flags: DeletePolicyFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true });
  return writePlan(io, service, await service.planDeletion(flags.clusterName), flags);
}

interface OrganizationFlags extends AusFlags, WriteFlags {
  readonly replace?: boolean;
  readonly dump?: boolean;
}

/** Edits labels of an organization, or prints the result of the edit. */
async function changeOrganization(io: Io, flags: OrganizationFlags, edit: OrganizationEdit): Promise<number> {
  const dump = async (json: object): Promise<number> => {
    io.stdout.write(await document('json', json));
    return EXIT.ok;
  };
  if (flags.dump === true && flags.replace === true) return dump(editedJson(edit, {}));
  const { service } = openAus(io, flags, { readOnly: flags.dryRun === true || flags.dump === true });
  if (flags.dump === true) return dump(await service.editedJson(edit));
  return writePlan(io, service, await service.planOrganization(edit), flags);
}

interface WriteFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly color?: boolean;
}

/** Shows problems and label changes, and then writes them. A dry run only shows them. */
async function writePlan(io: Io, service: PolicyService, plan: LabelPlan, flags: WriteFlags): Promise<number> {
  const { shown, others } = plan.findings;
  writeFindings(io, shown, paintFor(io.stderr, io.env, flags.color));
  if (others > 0) io.stderr.write(`note: ${count(others, 'other problem')} here: run echelon aus validate\n`);
  const paint = paintFor(io.stdout, io.env, flags.color);
  const changed = plan.owners.filter(({ changes }) => changes.length > 0);
  const total = changed.reduce((sum, { changes }) => sum + changes.length, 0);
  for (const { title, changes } of changed) io.stdout.write(diffText(title, changes, paint));
  if (total === 0) {
    io.stdout.write('Nothing to change.\n');
    return EXIT.ok;
  }
  if (flags.dryRun === true) {
    io.stderr.write('this is a dry run: nothing was changed\n');
    return EXIT.ok;
  }
  // Scripts keep working, as with the existing plugin.
  const question = { question: `Change ${count(total, 'label')}`, yes: flags.yes, unattended: 'proceed' } as const;
  if (!(await consent(io, question))) return EXIT.failed;
  const { done, last, failure } = await service.apply(plan);
  if (failure !== undefined) {
    const upTo = last === undefined ? '' : `, the last one ${last}`;
    io.stderr.write(`${done} of ${count(total, 'label')} changed${upTo}; apply it again for the rest\n`);
    throw failure.thrown;
  }
  io.stdout.write(`Done: ${count(total, 'label')} changed.\n`);
  return EXIT.ok;
}

function diffText(title: string, changes: readonly LabelChange[], paint: Paint): string {
  const lines = changes.flatMap((change) => [
    ...('from' in change ? [paint('red', escapeControls(`  - ${change.key}=${change.from}`))] : []),
    ...('to' in change ? [paint('green', escapeControls(`  + ${change.key}=${change.to}`))] : []),
  ]);
  return `${[paint('bold', `${escapeControls(title)}:`), ...lines].join('\n')}\n`;
}
