import { beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, dashboards, type Panel } from './deployed.ts';
import { type Exported, exportedMetrics } from './exported-metrics.ts';
import { namedIn } from './promql.ts';
import { unknownIn } from './unknown-names.ts';

let exported: ReadonlyMap<string, Exported>;
beforeAll(async () => {
  exported = await exportedMetrics();
});

const all = dashboards();
const queriesOf = ({ panels }: Dashboard) =>
  panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));
const overlap = ({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** The metric and the label of `label_values(metric{…}, label)`, or the query of `query_result(…)`. */
function variableQuery(text: string): { readonly expr: string; readonly label?: string } {
  const [, values, label] = /^label_values\((.+), ([a-z_]+)\)$/s.exec(text) ?? [];
  if (values !== undefined && label !== undefined) return { expr: values, label };
  const [, expr] = /^query_result\((.+)\)$/s.exec(text) ?? [];
  if (expr === undefined) throw new Error(`not a query of a variable: ${text}`);
  return { expr };
}

describe('dashboards', () => {
  it('have ids of their own', () => {
    expect(all.map(({ uid }) => uid).toSorted()).toEqual([
      'echelon-manager',
      'echelon-upgrades',
      'echelon-upgrades-operations',
    ]);
  });

  describe.each(all)('$file', (dashboard) => {
    const { panels, templating } = dashboard;

    it('has panels with ids of their own, beside each other', () => {
      const ids = panels.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
      const clashes = panels.flatMap((one, at) => panels.slice(at + 1).filter((other) => overlap(one, other)));
      expect(clashes.map(({ title }) => title)).toEqual([]);
      expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    });

    it('has queries in every panel, each with a letter of its own', () => {
      for (const { title, type, targets = [] } of panels) {
        const letters = targets.map(({ refId }) => refId);
        expect({ title, letters }).toEqual({ title, letters: [...new Set(letters)] });
        expect({ title, some: letters.length > 0 }).toEqual({ title, some: type !== 'row' });
      }
    });

    it('names only metrics and labels that are exported', () => {
      const unknown = queriesOf(dashboard).flatMap(({ title, expr }) =>
        unknownIn(expr, exported).map((what) => `${title}: ${what}`),
      );
      expect(unknown).toEqual([]);
    });

    it('shows in legends and columns only labels that a query gives', () => {
      const unknown = panels.flatMap(({ title, targets = [], transformations = [] }) => {
        const given = new Set(targets.flatMap(({ expr }) => namedIn(expr).labels));
        const legends = targets.flatMap(({ legendFormat = '' }) => [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)]);
        const columns = transformations.flatMap(({ options }) =>
          Object.keys((options['renameByName'] as object) ?? {}),
        );
        return [...legends.map(([, label = '']) => label), ...columns.map((column) => column.replace(/ \d$/, ''))]
          .filter((label) => !given.has(label) && !/^Value( #[A-Z])?$/.test(label))
          .map((label) => `${title}: ${label}`);
      });
      expect(unknown).toEqual([]);
    });

    it('asks for its variables in metrics that are exported, and uses each', () => {
      const queries = templating.list.filter(({ type }) => type === 'query');
      for (const { query } of queries) {
        const { expr, label } = variableQuery(typeof query === 'string' ? query : query.query);
        expect(unknownIn(expr, exported)).toEqual([]);
        if (label !== undefined)
          expect(exported.get(namedIn(expr).selectors[0]?.metric ?? '')?.labels).toContain(label);
      }
      const text = queriesOf(dashboard)
        .map(({ expr }) => expr)
        .join('\n');
      const used = new Set([...text.matchAll(/\$([a-z]\w*)/g)].map(([, name = '']) => name));
      expect([...used].toSorted()).toEqual(queries.map(({ name }) => name).toSorted());
    });
  });

  it.each(all.filter(({ file }) => file.startsWith('upgrades')))('$file is filtered by organization', (dashboard) => {
    expect(dashboard.templating.list.map(({ name }) => name)).toContain('organization');
    const ofOrganizations = queriesOf(dashboard).flatMap(({ title, expr }) =>
      namedIn(expr)
        .selectors.filter(({ metric }) => exported.get(metric)?.labels.includes('org_id'))
        .map(({ matchers }) => ({ title, filter: matchers.find(({ label }) => label === 'org_id')?.value })),
    );
    expect(ofOrganizations.length).toBeGreaterThan(4);
    expect(ofOrganizations.filter(({ filter }) => filter !== '$organization')).toEqual([]);
  });

  it('of users show of a cluster only what is of the organization', () => {
    const [users] = all.filter(({ file }) => file === 'upgrades.json');
    const unfiltered = queriesOf(users!).filter(({ expr }) => !expr.includes('org_id=~"$organization"'));
    expect(unfiltered.map(({ title }) => title)).toEqual([]);
  });
});
