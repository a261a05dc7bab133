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

import type { Context } from '../../context.ts';
import { consent, EXIT } from '../../io.ts';
import { document } from '../../output/formats.ts';
import type { Paint } from '../../output/terminal.ts';
import type {
  ApplyInheritanceFlags,
  ApplyListFlags,
  ApplyPoliciesFlags,
  ApplySectorsFlags,
  AusDocumentFlags,
  AusWriteFlags,
  DeletePolicyFlags,
  GateAgreementFlags,
} from './commands.ts';
import { flagInvalid, openAus, readInput, refuseBeside } from './input.ts';
import { writeFindings } from './views.ts';

/** Applies policies to the labels of clusters. Labels that are not about policies are not touched. */
export async function applyPolicies(ctx: Context, flags: ApplyPoliciesFlags): Promise<number> {
  refuseBeside(flags, {
    ...{ '--cluster-name': flags.clusterName, '--schedule': flags.schedule, '--workload': flags.workload },
    ...{ '--sector': flags.sector, '--mutex': flags.mutex, '--blocked-versions': flags.blockedVersions },
    '--freeze': flags.freeze,
    '--soak-days': flags.soakDays === 0 ? undefined : flags.soakDays,
  });
  const policies = (await readInput(ctx, flags, policiesShape)) ?? [policyOfFlags(flags)];
  checkPolicies(policies);
  if (flags.dump === true) {
    ctx.out.write(await document('json', normalizedPolicies(policies)));
    return EXIT.ok;
  }
  const { service } = openAus(ctx, flags, { readOnly: flags.dryRun === true });
  return writePlan(ctx, service, await service.planPolicies(policies), flags);
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

/** Sets the sectors of an organization, their dependencies, and how many of their clusters upgrade at once. */
export async function applySectors(ctx: Context, flags: ApplySectorsFlags): Promise<number> {
  refuseBeside(flags, {
    ...{ '--add-dep': flags.addDep, '--remove-dep': flags.removeDep },
    '--sector-max-parallel-upgrades': flags.sectorMaxParallelUpgrades,
  });
  const given = await readInput(ctx, flags, sectorsShape);
  const edit = given === undefined ? editOfFlags(flags) : { add: given, remove: [], replace: flags.replace === true };
  if (given === undefined && edit.add.length === 0 && edit.remove.length === 0) {
    const hint = 'use --add-dep, --remove-dep, --sector-max-parallel-upgrades, - or -f';
    throw flagInvalid('no sector given', hint);
  }
  return changeOrganization(ctx, flags, sectorsEdit(edit));
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
export async function applyList(ctx: Context, list: keyof typeof LISTS, flags: ApplyListFlags): Promise<number> {
  const { verbs, add, remove, edit }: EditedList = LISTS[list];
  refuseBeside(flags, { [add.flag]: add.of(flags), [remove.flag]: remove.of(flags) });
  const given = await readInput(ctx, flags, organizationListShape);
  const added = given ?? add.of(flags) ?? [];
  const removed = given === undefined ? (remove.of(flags) ?? []) : [];
  if (given === undefined && added.length === 0 && removed.length === 0) {
    throw flagInvalid(`nothing to ${verbs}`, `use ${add.flag}, ${remove.flag}, - or -f`);
  }
  return changeOrganization(ctx, flags, edit({ add: added, remove: removed, replace: flags.replace === true }));
}

/** Sets whose history an organization uses, and who may use its own. */
export async function applyInheritance(ctx: Context, flags: ApplyInheritanceFlags): Promise<number> {
  refuseBeside(flags, { '--inherit-from': flags.inheritFrom, '--publish-to': flags.publishTo });
  const given = (await readInput(ctx, flags, inheritanceShape)) ?? ofFlags(flags);
  return changeOrganization(ctx, flags, inheritanceEdit(given, flags.replace === true));
}

function ofFlags({ inheritFrom = [], publishTo = [], replace }: ApplyInheritanceFlags): InheritanceJson {
  if (inheritFrom.length === 0 && publishTo.length === 0 && replace !== true) {
    throw flagInvalid('no organization given', 'use --inherit-from, --publish-to, - or -f');
  }
  return { inherit: [...inheritFrom], publish: [...publishTo] };
}

/** Agrees to every version gate of a minor that applies to a cluster. */
export async function applyGateAgreement(ctx: Context, flags: GateAgreementFlags): Promise<number> {
  if (!/^\d+\.\d+$/.test(flags.version))
    throw flagInvalid(`${flags.version} is not a minor version`, 'use a minor version such as 4.19');
  const { service } = openAus(ctx, flags, { readOnly: flags.dryRun === true });
  const gates = await service.gatesBefore(flags.clusterName, flags.version);
  if (gates.length === 0) ctx.out.write('Nothing to agree to.\n');
  for (const each of gates) {
    if (flags.dryRun !== true) await service.agree(each);
    ctx.out.line(`${each.cluster}: ${flags.dryRun === true ? 'would agree' : 'agreed'} to ${each.gate.label}`);
  }
  if (flags.dryRun === true) ctx.err.write('this is a dry run: nothing was changed\n');
  return EXIT.ok;
}

/** Removes all upgrade labels of a cluster, version gate approvals too; no others. */
export async function deletePolicy(ctx: Context, flags: DeletePolicyFlags): Promise<number> {
  const { service } = openAus(ctx, flags, { readOnly: flags.dryRun === true });
  return writePlan(ctx, service, await service.planDeletion(flags.clusterName), flags);
}

/** Edits labels of an organization, or prints the result of the edit. */
async function changeOrganization(
  ctx: Context,
  flags: AusDocumentFlags & { readonly replace?: boolean },
  edit: OrganizationEdit,
): Promise<number> {
  const dump = async (json: object): Promise<number> => {
    ctx.out.write(await document('json', json));
    return EXIT.ok;
  };
  if (flags.dump === true && flags.replace === true) return dump(editedJson(edit, {}));
  const { service } = openAus(ctx, flags, { readOnly: flags.dryRun === true || flags.dump === true });
  if (flags.dump === true) return dump(await service.editedJson(edit));
  return writePlan(ctx, service, await service.planOrganization(edit), flags);
}

/** Shows problems and label changes, and then writes them. A dry run only shows them. */
async function writePlan(ctx: Context, service: PolicyService, plan: LabelPlan, flags: AusWriteFlags): Promise<number> {
  const { shown, others } = plan.findings;
  writeFindings(ctx.err, shown);
  if (others > 0) ctx.err.write(`note: ${count(others, 'other problem')} here: run echelon aus validate\n`);
  const paint = ctx.out.paint;
  const changed = plan.owners.filter(({ changes }) => changes.length > 0);
  const total = changed.reduce((sum, { changes }) => sum + changes.length, 0);
  for (const { title, changes } of changed) ctx.out.write(diffText(title, changes, paint));
  if (total === 0) {
    ctx.out.write('Nothing to change.\n');
    return EXIT.ok;
  }
  if (flags.dryRun === true) {
    ctx.err.write('this is a dry run: nothing was changed\n');
    return EXIT.ok;
  }
  // Scripts keep working, as with the existing plugin.
  const question = { question: `Change ${count(total, 'label')}`, yes: flags.yes, unattended: 'proceed' } as const;
  if (!(await consent(ctx, question))) return EXIT.failed;
  const { done, last, failure } = await service.apply(plan);
  if (failure !== undefined) {
    const upTo = last === undefined ? '' : `, the last one ${last}`;
    ctx.err.write(`${done} of ${count(total, 'label')} changed${upTo}; apply it again for the rest\n`);
    throw failure.thrown;
  }
  ctx.out.write(`Done: ${count(total, 'label')} changed.\n`);
  return EXIT.ok;
}

function diffText(title: string, changes: readonly LabelChange[], paint: Paint): string {
  const lines = changes.flatMap((change) => [
    ...('from' in change ? [paint('red', escapeControls(`  - ${change.key}=${change.from}`))] : []),
    ...('to' in change ? [paint('green', escapeControls(`  + ${change.key}=${change.to}`))] : []),
  ]);
  return `${[paint('bold', `${escapeControls(title)}:`), ...lines].join('\n')}\n`;
}
