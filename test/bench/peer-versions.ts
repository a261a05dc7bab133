import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeBinaries } from '../support/real-kube.ts';
import { testHelm } from '../support/render-chart.ts';
import { REPO } from './part.ts';

/** `kubectl 1.35.2`, and so on: what the parts compare with, as it is on this machine. */
export interface ToolVersions {
  readonly apiServer: string;
  readonly kubectl: string;
  readonly helm: string;
}

export async function toolVersions(): Promise<ToolVersions> {
  const binaries = await kubeBinaries();
  if ('missing' in binaries) throw new Error(binaries.missing);
  const { apiserver, kubectl } = binaries;
  return {
    apiServer: `kube-apiserver ${versionIn(apiserver, '--version')}`,
    kubectl: kubectl === undefined ? 'kubectl' : `kubectl ${versionIn(kubectl, 'version', '--client')}`,
    helm: await helmVersion(),
  };
}

export async function helmVersion(): Promise<string> {
  return `helm ${versionIn(await testHelm(), 'version', '--short')}`;
}

/** The version of a package that the checkout has installed. */
export function packageVersion(name: string): string {
  const text = readFileSync(join(REPO, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function versionIn(command: string, ...args: readonly string[]): string {
  return /v(\d+\.\d+\.\d+)/.exec(execFileSync(command, args, { encoding: 'utf8' }))?.[1] ?? 'unknown';
}
