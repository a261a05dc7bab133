import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOREIGN_IMAGE, forgeRenderings, giveAway } from '../support/forged-renderings.ts';
import { DONE, type ManagerWorld, startManagerWorld } from '../support/manager-e2e.ts';
import { REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { REPO } from '../support/shared.ts';

const OTHER = 4711;
const isRoot = process.getuid?.() === 0;
const { version } = JSON.parse(readFileSync(join(REPO, 'package.json'), 'utf8')) as { version: string };

describe.skipIf(skipRealKube)('renderings in a cache that another user can write to', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  it.each([
    { given: 'open to all', name: 'open', mode: 0o777 },
    ...(isRoot ? [{ given: 'of another user', name: 'foreign', mode: 0o1777, owner: OTHER }] : []),
  ])('do not reach the cluster from a folder $given', async ({ name, mode, owner }) => {
    const fleet = await world.fleet(name);
    fleet.integration('alpha');
    const [own, shared] = [join(fleet.root, 'own'), join(fleet.root, 'shared')];
    const rendered = await fleet.run('manager render', [], { env: { ECHELON_CACHE: own } });
    expect(rendered).toMatchObject(DONE);
    mkdirSync(join(shared, 'echelon'), { recursive: true });
    forgeRenderings(join(own, `render-${version}`), join(shared, `echelon/render-${version}`));
    if (owner !== undefined) giveAway(join(shared, 'echelon'), owner);
    chmodSync(shared, mode);

    const env = { ECHELON_CACHE: '', XDG_CACHE_HOME: shared };
    expect(await fleet.run('manager apply', ['--yes'], { env })).toMatchObject(DONE);
    const images = JSON.stringify(await fleet.objects()).match(/"image":"[^"]*"/g) ?? [];
    expect(images.length).toBeGreaterThan(0);
    expect(images).not.toContain(`"image":"${FOREIGN_IMAGE}"`);
    expect([...new Set(images)].sort()).toEqual(imagesIn(rendered.stdout));
  });
});

function imagesIn(yaml: string): string[] {
  const images = [...yaml.matchAll(/^ *(?:- )?image: "?([^"\n]*)"?$/gm)].map(([, image]) => `"image":"${image}"`);
  return [...new Set(images)].sort();
}
