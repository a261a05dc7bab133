import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FolderImage, imageOf } from '../support/folder-image.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { filesBelow, type ManagerRun, managerRun } from '../support/manager-run.ts';

const LEDGER = '.echelon-render.json';

let manager: ManagerRun;
let copy: InstanceCopy;
beforeEach(async () => {
  manager = await managerRun();
  copy = copyInstance();
});
afterEach(() => {
  manager.dispose();
  copy.dispose();
});

/** Renders the copy into `out`; messages tell the revision as R. */
async function render(...args: readonly string[]): Promise<{ code: number; stdout: string; said: string[] }> {
  const line = ['render', '--data', copy.root, '--out', 'out', ...args];
  const { code, stdout, stderr } = await manager.run(line, { cwd: manager.root });
  return {
    code,
    stdout,
    said: stderr
      .replace(/of \S+ in out/, 'of R in out')
      .split('\n')
      .slice(0, -1),
  };
}

/** Output and cache as the first test made them. */
let whole: FolderImage | undefined;

/** The folder `out` as the example is rendered into an empty one. */
async function alreadyRendered(): Promise<void> {
  if (whole !== undefined) return whole.writeTo(manager.root);
  expect((await render()).code).toBe(0);
  whole = imageOf(manager.root);
}

const rendered = (): Record<string, string> => {
  const { [LEDGER]: _, ...files } = filesBelow(manager.path('out'));
  return files;
};

/** Names of files that are there, gone or other than before. */
function difference(before: Record<string, string>, after: Record<string, string>) {
  const names = (from: Record<string, string>, other: Record<string, string>) =>
    Object.keys(from).filter((file) => !(file in other));
  const changed = Object.keys(before).filter((file) => file in after && before[file] !== after[file]);
  return { added: names(after, before), changed, removed: names(before, after) };
}

const NOTHING = { added: [], changed: [], removed: [] };
const PRODUCTION = 'app-sre-prod-01/app-interface-production';

describe('render --out', () => {
  it('writes a file for each object, in folders cluster/namespace', async () => {
    expect(await render('--environment-name', 'edge-lab')).toEqual({
      code: 0,
      stdout: '',
      said: ['3 objects of R in out: 3 written, 0 unchanged, 0 removed'],
    });
    expect(Object.keys(filesBelow(manager.path('out')))).toEqual([
      LEDGER,
      'edge-lab-01/edge-lab/deployment-qontract-reconcile-fleet-label-exporter.yaml',
      'edge-lab-01/edge-lab/deployment-qontract-reconcile-integrations-manager.yaml',
      'edge-lab-01/edge-lab/service-qontract-reconcile.yaml',
    ]);
  });

  it('writes the objects that are printed without it', async () => {
    await render();
    const { stdout } = await manager.run(['render', '--data', copy.root, '-o', 'json']);
    const objects = JSON.parse(stdout).items.flatMap((item: { objects: object[] }) => item.objects);
    expect(objects).toEqual(expect.arrayContaining(Object.values(rendered()).map((text) => load(text))));
    expect(Object.keys(rendered())).toHaveLength(objects.length);
  });

  it('writes nothing the second time', async () => {
    await render();
    const before = filesBelow(manager.path('out'));
    const { said } = await render('--no-cache');
    expect(said).toEqual([expect.stringMatching(/: 0 written, 112 unchanged, 0 removed$/)]);
    expect(filesBelow(manager.path('out'))).toEqual(before);
  });

  it('changes exactly one file for an override', async () => {
    await alreadyRendered();
    const before = rendered();
    copy.append(
      'data/integrations/terraform-users.yml',
      '    - shard:\n        $ref: /aws/payments/account.yml\n      imageRef: 8c41f7e\n',
    );
    expect((await render()).said).toEqual([expect.stringMatching(/: 1 written, 111 unchanged, 0 removed$/)]);
    const file = `${PRODUCTION}/deployment-qontract-reconcile-terraform-users-payments.yaml`;
    expect(difference(before, rendered())).toEqual({ ...NOTHING, changed: [file] });
    const [old = '', now = ''] = [before[file], rendered()[file]].map(
      (text) => text?.match(/image: .*\/qontract-rec.*/)?.[0],
    );
    expect(now).toBe(old.replace(/:\w+$/, ':8c41f7e'));
  });

  it('removes exactly the files of an integration that is gone, and folders that this leaves empty', async () => {
    await alreadyRendered();
    const before = rendered();
    copy.remove('data/integrations/fleet-label-exporter.yaml');
    copy.remove('data/integrations/integrations-manager.yml');
    expect((await render()).said).toEqual([expect.stringMatching(/: 0 written, 106 unchanged, 6 removed$/)]);
    expect(difference(before, rendered())).toEqual({
      ...NOTHING,
      removed: [
        `${PRODUCTION}/deployment-qontract-reconcile-fleet-label-exporter-0.yaml`,
        `${PRODUCTION}/deployment-qontract-reconcile-fleet-label-exporter-1.yaml`,
        'app-sre-stage-01/app-interface-stage/deployment-qontract-reconcile-fleet-label-exporter.yaml',
        'edge-lab-01/edge-lab/deployment-qontract-reconcile-fleet-label-exporter.yaml',
        'edge-lab-01/edge-lab/deployment-qontract-reconcile-integrations-manager.yaml',
        'edge-lab-01/edge-lab/service-qontract-reconcile.yaml',
      ],
    });
    expect(() => readFileSync(manager.path('out/edge-lab-01'))).toThrow('ENOENT');
  });

  it('leaves files alone that it did not write', async () => {
    manager.write('out/README.md', 'mine');
    manager.write(`out/${PRODUCTION}/deployment-mine.yaml`, 'mine');
    manager.write('out/edge-lab-01/edge-lab/mine.yaml', 'mine');
    await render();
    copy.remove('data/integrations/fleet-label-exporter.yaml');
    copy.remove('data/integrations/integrations-manager.yml');
    await render();
    const files = rendered();
    expect([files['README.md'], files[`${PRODUCTION}/deployment-mine.yaml`]]).toEqual(['mine', 'mine']);
    expect(Object.keys(files).filter((file) => file.startsWith('edge-lab-01/'))).toEqual([
      'edge-lab-01/edge-lab/mine.yaml',
    ]);
  });

  it('keeps, and tells, a file of an integration that is gone when somebody edited it since', async () => {
    await alreadyRendered();
    const file = `${PRODUCTION}/deployment-qontract-reconcile-slack-usergroups.yaml`;
    manager.write(`out/${file}`, 'edited');
    copy.remove('data/integrations/slack-usergroups.yml');
    const { code, said } = await render();
    expect(code).toBe(0);
    expect(said).toEqual([
      expect.stringMatching(/: 0 written, 110 unchanged, 1 removed$/),
      `warning: ${file} is stale, but was edited; not removed`,
    ]);
    expect(rendered()[file]).toBe('edited');
  });

  it('puts back a file that somebody edited or removed', async () => {
    await alreadyRendered();
    const before = rendered();
    manager.write(`out/${PRODUCTION}/service-qontract-reconcile.yaml`, 'edited');
    expect((await render()).said).toEqual([expect.stringMatching(/: 1 written, 111 unchanged, 0 removed$/)]);
    expect(difference(before, rendered())).toEqual(NOTHING);
  });
});

describe('render --out that would remove most of what is there', () => {
  const empty = (): void => {
    for (const name of readdirSync(join(copy.root, 'data/integrations'))) copy.remove(`data/integrations/${name}`);
  };

  it('removes nothing without consent', async () => {
    await alreadyRendered();
    const before = rendered();
    empty();
    const { code, said } = await render();
    expect(code).toBe(1);
    expect(said.join()).toContain('[MASS_REMOVAL]');
    expect(rendered()).toEqual(before);
  });

  it('removes it with consent', async () => {
    await alreadyRendered();
    empty();
    expect((await render('--allow-mass-removal')).code).toBe(0);
    expect(rendered()).toEqual({});
  });
});

describe('a folder that --out cannot be', () => {
  it.each(['/proc/x', '/dev/null', 'DATA'])('is %s', async (out) => {
    const target = out === 'DATA' ? `${copy.root}/data/out` : out;
    const { code, stderr } = await manager.run(['render', '--data', copy.root, '--out', target], { cwd: manager.root });
    expect(code).toBe(1);
    expect(stderr).toContain('OUT_INVALID');
  });
});

describe('render --out of an instance with something wrong', () => {
  it('renders the others, removes nothing, and names the file and the line', async () => {
    await alreadyRendered();
    const before = rendered();
    copy.remove('data/integrations/fleet-label-exporter.yaml');
    copy.replace('data/integrations/ldap-users.yml', 'memory: 300Mi', 'memory: 301Mi');
    const place = copy.replace(
      'data/integrations/slack-usergroups.yml',
      'name: slack-usergroups',
      'name: slack: usergroups',
      ': usergroups',
    );
    const { code, said } = await render();
    expect(code).toBe(1);
    expect(said).toEqual([
      '106 objects of R in out: 1 written, 105 unchanged, 0 removed (nothing is removed while there are errors)',
      expect.stringContaining(`data/integrations/slack-usergroups.yml:${place.line}:`),
      expect.stringMatching(/^ {4}/),
    ]);
    const changed = ['app-sre-prod-02/app-interface-internal/deployment-qontract-reconcile-ldap-users.yaml'];
    expect(difference(before, rendered())).toEqual({ ...NOTHING, changed });
  });

  it('removes what is stale once it is put right', async () => {
    await alreadyRendered();
    const before = rendered();
    const text = copy.text('data/integrations/slack-usergroups.yml');
    copy.remove('data/integrations/jira-watcher.yml');
    copy.write('data/integrations/slack-usergroups.yml', '');
    await render();
    expect(difference(before, rendered())).toEqual(NOTHING);
    copy.write('data/integrations/slack-usergroups.yml', text);
    expect((await render()).code).toBe(0);
    const removed = difference(before, rendered()).removed.map((file) => file.replace(/.*\//, ''));
    expect(removed).toEqual(Array(2).fill('deployment-qontract-reconcile-jira-watcher.yaml'));
  });

  it('does not touch anything for an environment that does not exist', async () => {
    await alreadyRendered();
    const before = rendered();
    expect((await render('--environment-name', 'edge-lap')).code).toBe(1);
    expect(difference(before, rendered())).toEqual(NOTHING);
  });

  it('refuses a record of what was written that leads elsewhere', async () => {
    const files = { '../victim': '0'.repeat(64) };
    manager.write(`out/${LEDGER}`, JSON.stringify({ apiVersion: 'echelon/v1', kind: 'RenderLedger', files }));
    const { code, said } = await render('--environment-name', 'edge-lab');
    expect({ code, said }).toMatchObject({ code: 1, said: expect.arrayContaining([' code: LEDGER_INVALID']) });
    expect(Object.keys(rendered())).toEqual([]);
  });
});
