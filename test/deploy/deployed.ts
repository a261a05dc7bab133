import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { REPO } from '../support/shared.ts';

export interface Rule {
  readonly file: string;
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Alert extends Rule {
  readonly alert: string;
}

export interface AlertTest {
  readonly alertname: string;
  readonly exp_alerts?: readonly object[];
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat?: string }[];
  readonly transformations?: readonly { readonly id: string; readonly options: Readonly<Record<string, unknown>> }[];
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
}

export interface Dashboard {
  readonly file: string;
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
}

const DEPLOY = join(REPO, 'deploy');

export const RUNBOOK = join(DEPLOY, 'alerts/README.md');

export function rules(): Rule[] {
  return filesOf('alerts', '.yaml').flatMap((file) => {
    const { groups } = load(text('alerts', file)) as { groups: { rules: Omit<Rule, 'file'>[] }[] };
    return groups.flatMap((group) => group.rules.map((rule) => ({ file, ...rule })));
  });
}

export function alerts(): Alert[] {
  return rules().filter((rule): rule is Alert => rule.alert !== undefined);
}

/** What the unit tests of the rules expect, of all files. */
export function alertTests(): AlertTest[] {
  return filesOf('alerts/tests', '.yaml').flatMap((file) => {
    const { tests } = load(text('alerts/tests', file)) as { tests: { alert_rule_test: AlertTest[] }[] };
    return tests.flatMap((test) => test.alert_rule_test);
  });
}

export function dashboards(): Dashboard[] {
  return filesOf('dashboards', '.json').map((file) => ({ file, ...JSON.parse(text('dashboards', file)) }) as Dashboard);
}

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(join(DEPLOY, folder))
    .filter((file) => file.endsWith(ending))
    .sort();
}

function text(folder: string, file: string): string {
  return readFileSync(join(DEPLOY, folder, file), 'utf8');
}
