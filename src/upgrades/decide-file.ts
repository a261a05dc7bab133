import type * as z from 'zod';
import { EchelonError } from '../base/index.ts';
import { type DecisionJson, decisionJson } from './decision-json.ts';
import { planUpgrades } from './engine/decide.ts';
import type { OrgFacts } from './engine/facts.ts';
import type { Rules } from './engine/rules.ts';
import { factsFromJson, factsShape } from './facts-json.ts';
import { sectorFaults } from './policies/sectors.ts';

interface DecideFileOptions {
  readonly rules: Rules;
  /** The input in error messages, such as its file name. */
  readonly name: string;
  /** Also every verdict on every candidate. */
  readonly explain?: boolean;
}

/** Decides from a document. Errors name the place in it. */
export function decideFile(document: unknown, { rules, name, explain = false }: DecideFileOptions): DecisionJson {
  const parsed = factsShape.safeParse(document);
  if (!parsed.success) throw badInput(name, parsed.error.issues);
  const input = parsed.data;
  const facts = factsFromJson(input);
  const fault = structureFault(facts);
  if (fault !== undefined) return { error: fault };
  const names = new Map<string, string>(input.clusters.map(({ id, name: called }) => [id, called]));
  return decisionJson(names, planUpgrades(facts, facts.ledger, input.now, rules), explain);
}

const MOST_SHOWN = 3;

function badInput(name: string, issues: readonly z.core.$ZodIssue[]): EchelonError {
  const shown = issues.slice(0, MOST_SHOWN).map(({ path, message }) => `${placeOf(path)}: ${lowerFirst(message)}`);
  const more = issues.length > MOST_SHOWN ? `; and ${issues.length - MOST_SHOWN} more` : '';
  return new EchelonError({
    code: 'FACTS_INVALID',
    message: `${name} is not a valid decision input: ${shown.join('; ')}${more}`,
    hint: 'write one organization with now, org_blocked_versions, sectors, clusters, existing_policies, version_data, version_gates and agreements',
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  let place = '';
  for (const key of path) place += typeof key === 'number' ? `[${key}]` : `${place === '' ? '' : '.'}${String(key)}`;
  return place === '' ? 'the document' : place;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** What policy readers would have found: a cycle of sectors, or a sector that is not declared. */
function structureFault({ sectors, clusters }: OrgFacts): string | undefined {
  const declared = new Set(sectors.map(({ name }) => name));
  const stray = clusters.find(({ policy: { sector } }) => sector !== undefined && !declared.has(sector));
  if (stray !== undefined) return `cluster ${stray.name} is in sector ${stray.policy.sector}, which is not declared`;
  return sectorFaults(sectors)[0]?.message;
}
