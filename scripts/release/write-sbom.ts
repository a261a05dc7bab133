import { writeFileSync } from 'node:fs';
import { REPO, run } from './run.ts';
import { type LockFile, runtimePackages } from './runtime-packages.ts';
import { reproducibleSbom, type Sbom, type SbomComponent } from './sbom.ts';
import type { Sources } from './sources.ts';

/** Writes the CycloneDX document of the locked runtime dependencies and of the programs that the image contains besides. */
export function writeSbom(file: string, { name, sourceDate }: Sources, lock: LockFile, helm: string): void {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel', 'error'];
  const printed = JSON.parse(run('npm', args, REPO)) as Sbom;
  const packages = new Set(runtimePackages(lock).map(({ ref }) => ref));
  const programs = [nodeComponent(lock), helmComponent(helm)];
  const sbom = reproducibleSbom(printed, { name, sourceDate, packages, programs });
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
}

function nodeComponent({ packages }: LockFile): SbomComponent {
  const { version = '' } = packages['node_modules/node'] ?? {};
  return program('node', version, `pkg:npm/node@${version}`, 'MIT');
}

function helmComponent(helm: string): SbomComponent {
  const version = run(helm, ['version', '--template', '{{.Version}}']).replace(/^v/, '');
  return program('helm', version, `pkg:golang/helm.sh/helm@v${version}`, 'Apache-2.0');
}

function program(name: string, version: string, purl: string, license: string): SbomComponent {
  const licenses = [{ license: { id: license } }];
  return { 'bom-ref': `${name}@${version}`, type: 'application', name, version, scope: 'required', purl, licenses };
}
