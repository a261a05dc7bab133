import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeBody } from './real-kube.ts';

interface Volume {
  readonly name: string;
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly [field: string]: unknown;
}

interface PodTemplate {
  readonly spec: { readonly volumes: readonly Volume[]; readonly containers: readonly Container[] };
}

/** What a kubelet would give the pod. */
export interface PodSurroundings {
  /** The files of volumes of Secrets and of projected ones, by the name of the volume. */
  readonly volumes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A folder for them. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Manifests as `podman kube play` can run them. It ignores accounts, rights and namespaces, and everything else stays to the letter
 * but for what podman 4.3 does not do:
 *
 * - a projected volume, and a volume of a Secret, which it omits if it is optional and writes in base64 if it is not: their files are in a
 *   folder of the host;
 * - probes over HTTP, which it runs as a shell with curl inside the container: they are omitted, and the test reads the pages;
 * - ports of a pod on the network of the host, where it reaches a server on loopback: they are omitted;
 * - the variables that a kubelet sets, among them the address of the API server: they are set.
 */
export function playable(manifests: readonly KubeBody[], { volumes: files, folder, env }: PodSurroundings): string {
  const volumeOf = (volume: Volume): object => {
    const content = files[volume.name];
    if (content === undefined) return volume;
    const path = join(folder, volume.name);
    mkdirSync(path, { recursive: true });
    for (const [name, text] of Object.entries(content)) writeFileSync(join(path, name), text, { mode: 0o644 });
    return { name: volume.name, hostPath: { path, type: 'Directory' } };
  };
  const played = manifests.map((object) => {
    if (object.kind !== 'Deployment') return object;
    const { template, ...spec } = object.spec as { template: PodTemplate };
    const { volumes, containers } = template.spec;
    const pod = {
      ...template.spec,
      volumes: volumes.map(volumeOf),
      containers: containers.map(({ livenessProbe: _, readinessProbe: __, ports: ___, ...container }) => ({
        ...container,
        env: [
          ...container.env.filter(({ name }) => !(name in env)),
          ...Object.entries(env).map(([name, value]) => ({ name, value })),
        ],
      })),
    };
    return { ...object, spec: { ...spec, template: { ...template, spec: pod } } };
  });
  return played.map((object) => `---\n${JSON.stringify(object)}\n`).join('');
}
