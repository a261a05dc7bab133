import type { Instance } from '../../instance/index.ts';

const HEAD = `# What a promotion changes: every place in this instance that holds the version of an upstream.
# Created by echelon promote init. Review it, commit it, and edit it as the instance changes:
# echelon promote plan warns about places that no target covers.
#
# A target is found by file + key (.env, resource files), by file + path (YAML), or by schema + selector + path (datafiles, wherever they are).
# A path follows $ref; [name=x] is the item with that name and [] is every item.
# form: short (abbreviated commit), full (all 40 characters), digest (of the image) or tag (release name).
# digest: the key next to a tag that changes together with it. required: false allows a target to be missing.
# matches: {min, max} is how often it may match; once by default.
`;

/** The text of an initial `promotion.yml`; deterministic for an instance. */
export function initialPromotionFile({ upstreams, targets }: Discovered): string {
  const [first = { name: '' }] = upstreams;
  return [
    '---',
    HEAD,
    '# The first one is promoted unless --upstream selects another.',
    'upstreams:',
    ...upstreams.map(upstreamText),
    '',
    '# Labels and target branch of every merge request (default branch: that of the remote).',
    'labels: []',
    '# targetBranch: main',
    'branchPrefix: promote-',
    '',
    'targets:',
    ...targets.map((target) => targetText(target, first.name)),
    '',
  ].join('\n');
}

function upstreamText({ name, url, image }: DraftUpstream): string {
  return [
    `  ${name}:${url === undefined ? '    # no repository is known: its versions are tags, given with --to' : ''}`,
    ...(url === undefined ? [] : [`    url: ${scalar(url)}`]),
    ...(image === undefined ? [] : [`    image: ${scalar(image)}`]),
  ].join('\n');
}

function targetText(target: DraftTarget, first: string): string {
  const { matches, selector, length } = target;
  const lines = [
    `name: ${scalar(target.name)}`,
    ...line('environment', target.environment),
    ...(target.upstream === first ? [] : line('upstream', target.upstream)),
    ...line('file', target.file),
    ...line('schema', target.schema),
    ...(selector === undefined
      ? []
      : [
          `selector: {${Object.entries(selector)
            .map(([key, value]) => `${key}: ${scalar(value)}`)
            .join(', ')}}`,
        ]),
    ...line('key', target.key),
    ...line('path', target.path),
    ...line('digest', target.digest),
    `form: ${target.form}`,
    ...(length === undefined ? [] : [`length: ${length}`]),
    ...(matches === undefined ? [] : [`matches: {min: ${matches.min ?? 1}, max: ${matches.max ?? 1}}`]),
  ];
  return [`# ${target.comment}`, `- ${lines[0]}`, ...lines.slice(1).map((text) => `  ${text}`)].join('\n');
}

function line(key: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${key}: ${scalar(value)}`];
}

/** Plain if every reader reads it as a string. */
function scalar(text: string): string {
  return /^[A-Za-z./][\w./:-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : `'${text.replaceAll("'", "''")}'`;
}

/** An entry of an initial `promotion.yml`, with an explanatory comment. */
export interface DraftTarget {
  readonly name: string;
  readonly comment: string;
  readonly environment?: string;
  readonly upstream: string;
  readonly file?: string;
  readonly schema?: string;
  readonly selector?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly path?: string;
  readonly digest?: string;
  readonly form: 'short' | 'full' | 'tag';
  readonly length?: number;
  readonly matches?: { readonly min?: number; readonly max?: number };
}

export interface DraftUpstream {
  readonly name: string;
  /** Absent: its versions are tags of the image. */
  readonly url?: string;
  readonly image?: string;
}

export interface Discovered {
  /** The reconciler first. */
  readonly upstreams: readonly DraftUpstream[];
  readonly targets: readonly DraftTarget[];
}

/** The input of discovery. */
export interface DiscoveryFacts {
  readonly instance: Instance;
  readonly read: (file: string) => Uint8Array | undefined;
  readonly hashLength: number;
}

/** `latest` counts too: it will be replaced by a version. */
export function formOf(value: unknown, hashLength: number): Pick<DraftTarget, 'form' | 'length'> | undefined {
  const text = String(value ?? '');
  if (/^[0-9a-f]{40}$/.test(text)) return { form: 'full' };
  if (text === 'latest') return { form: 'short' };
  if (!/^[0-9a-f]{7,39}$/.test(text)) return undefined;
  return text.length === hashLength ? { form: 'short' } : { form: 'short', length: text.length };
}
