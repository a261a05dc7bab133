import { createHash } from 'node:crypto';

export interface SbomComponent {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly [field: string]: unknown;
}

/** What `npm sbom --sbom-format cyclonedx` prints, as far as it is read here. */
export interface Sbom {
  readonly serialNumber?: string;
  readonly metadata: {
    readonly timestamp?: string;
    readonly component: SbomComponent;
    readonly [field: string]: unknown;
  };
  readonly components: readonly SbomComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly [field: string]: unknown;
}

export interface SbomFacts {
  readonly name: string;
  /** Of the sources, in seconds since 1970. */
  readonly sourceDate: number;
  /** The packages that the product consists of, as `name@version`. */
  readonly packages: ReadonlySet<string>;
  /** Programs that the image contains besides npm packages. */
  readonly programs: readonly SbomComponent[];
}

/**
 * The part of npm's document that is about the runtime: `--omit dev` of npm also omits what is needed for both. npm puts the
 * folder's name, the time and a random serial number into it; here they come from the sources, so that the same sources give
 * the same document.
 */
export function reproducibleSbom(sbom: Sbom, { name, sourceDate, packages, programs }: SbomFacts): Sbom {
  const root = { ...sbom.metadata.component, type: 'application', name };
  const added = programs.map((one) => one['bom-ref']);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => ref === root['bom-ref'] || packages.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: [...dependsOn.filter((one) => packages.has(one)), ...(ref === root['bom-ref'] ? added : [])],
    }));
  const document = {
    ...sbom,
    metadata: { ...sbom.metadata, timestamp: new Date(sourceDate * 1000).toISOString(), component: root },
    components: [...sbom.components.filter((one) => packages.has(one['bom-ref'])), ...programs],
    dependencies: [...dependencies, ...added.map((ref) => ({ ref, dependsOn: [] }))],
  };
  return { ...document, serialNumber: `urn:uuid:${uuidOf(JSON.stringify({ ...document, serialNumber: '' }))}` };
}

/** A UUID of version 8, for what its maker derives in a way of its own. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
