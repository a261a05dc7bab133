import type * as z from 'zod';
import { EchelonError } from '../base/index.ts';
import { type DecisionJson, decisionJson } from './decision-json.ts';
import { planUpgrades } from './engine/decide.ts';
import type { OrgFacts } from './engine/facts.ts';
import type { Rules } from './engine/rules.ts';
import { factsFromJson, factsShape } from './facts-json.ts';
import { sectorFaults } from './policies/sectors.ts';

export interface DecideFileOptions {
  readonly rules: Rules;
  /** What errors call the input, such as the name of its file. */
  readonly name: string;
  /** Every verdict on every candidate, too. */
  readonly explain?: boolean;
}

/** Decides from a document. What it must have and has not is an error that names the place in it. */
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

const MOST_TOLD = 3;

function badInput(name: string, issues: readonly z.core.$ZodIssue[]): EchelonError {
  const told = issues.slice(0, MOST_TOLD).map(({ path, message }) => `${placeOf(path)}: ${lowerFirst(message)}`);
  const more = issues.length > MOST_TOLD ? `; and ${issues.length - MOST_TOLD} more` : '';
  return new EchelonError({
    code: 'FACTS_INVALID',
    message: `${name} is not what can be decided on: ${told.join('; ')}${more}`,
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

/** What the readers of policies would have found: sectors that go in a circle, or that nobody declares. */
function structureFault({ sectors, clusters }: OrgFacts): string | undefined {
  const declared = new Set(sectors.map(({ name }) => name));
  const stray = clusters.find(({ policy: { sector } }) => sector !== undefined && !declared.has(sector));
  if (stray !== undefined) return `cluster ${stray.name} is in sector ${stray.policy.sector}, which is not declared`;
  return sectorFaults(sectors)[0]?.message;
}
