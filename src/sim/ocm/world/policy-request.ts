import type { Json } from '../../../base/index.ts';
import { parseInstant } from '../instants.ts';
import type { Policy, PolicyKind, PolicyTarget, UpgradeType } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import { automaticPlan, LEAD_TIME, nextMatch } from './policy-runs.ts';
import { booleanIn, textIn } from './refusals.ts';
import type { Workshop } from './state.ts';

const SERVICE = 'clusters_mgmt';

const UPGRADE_TYPES: Readonly<Record<PolicyKind, readonly UpgradeType[]>> = {
  cluster: ['OSD'],
  control_plane: ['ControlPlane', 'ControlPlaneCVE'],
  node_pool: ['NodePool'],
};

/** The contents of a request. */
export type Asked = Pick<Policy, 'upgradeType' | 'scheduleType' | 'schedule' | 'version' | 'nextRun' | 'minorUpgrades'>;

/** Throws when something is missing, invalid, or too soon. */
export function policyIn(shop: Workshop, target: PolicyTarget, body: Json, dryRun: boolean): Asked {
  const scheduleType = textIn(SERVICE, body, 'schedule_type') ?? '';
  const upgradeType = upgradeTypeIn(target, body);
  const minorUpgrades = booleanIn(SERVICE, body, 'enable_minor_version_upgrades') ?? false;
  const version = textIn(SERVICE, body, 'version') ?? '';
  if (scheduleType === 'automatic') {
    const schedule = scheduleIn(body);
    if (schedule === undefined) throw refused("An automatic upgrade policy needs a 'schedule'");
    if (version !== '') throw refused("An automatic upgrade policy cannot have a 'version'");
    const plan = automaticPlan(shop, target, schedule, minorUpgrades);
    return { upgradeType, scheduleType, schedule, minorUpgrades, ...plan };
  }
  if (scheduleType !== 'manual') throw refused(`Schedule type '${scheduleType}' is not valid`);
  if (version === '') throw refused("A manual upgrade policy needs a 'version'");
  const nextRun = nextRunIn(shop, body) ?? soonest(shop, dryRun);
  return { upgradeType, scheduleType, schedule: undefined, version, nextRun, minorUpgrades };
}

/** Only a dry run may omit the time. */
function soonest({ now }: Workshop, dryRun: boolean): number {
  if (dryRun) return now + LEAD_TIME;
  throw refused("A manual upgrade policy needs a 'next_run'");
}

function upgradeTypeIn({ kind }: PolicyTarget, body: Json): UpgradeType {
  const text = textIn(SERVICE, body, 'upgrade_type') ?? UPGRADE_TYPES[kind][0];
  const found = UPGRADE_TYPES[kind].find((type) => type === text);
  if (found === undefined) throw refused(`Upgrade type '${text}' is not valid here`);
  return found;
}

/** Undefined when the request has none. */
export function nextRunIn(shop: Workshop, body: Json): number | undefined {
  const text = textIn(SERVICE, body, 'next_run');
  if (text === undefined) return undefined;
  const at = parseInstant(text);
  if (at === undefined) throw new SimOcmError(SERVICE, 'malformed', `Invalid value for field 'next_run': '${text}'`);
  if (at < shop.now + LEAD_TIME) throw refused('Cannot set upgrade to start earlier than 5 minutes from now');
  return at;
}

export function scheduleIn(body: Json): string | undefined {
  const schedule = textIn(SERVICE, body, 'schedule');
  if (schedule === undefined || schedule === '') return undefined;
  try {
    nextMatch(schedule, 0);
    return schedule;
  } catch {
    throw refused(`Schedule '${schedule}' is not a valid cron expression`);
  }
}

export function refused(reason: string): SimOcmError {
  return new SimOcmError(SERVICE, 'bad-request', reason);
}
