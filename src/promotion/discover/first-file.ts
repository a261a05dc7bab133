import type { DraftTarget, DraftUpstream } from './draft.ts';
import type { Discovered } from './known-places.ts';

const HEAD = `# What a promotion changes: every place of this instance that carries the version of an upstream.
# Written by echelon promote init. Check it, keep it in the repository, and edit it as the instance changes:
# echelon promote plan warns of places that nothing here covers.
#
# A target is found by file + key (.env, resource files), or by schema + selector + path (datafiles, wherever they are).
# A path follows $ref; [name=x] is the item with that name and [] is every item.
# form: short (first characters of a commit), full (all 40), digest (of the image) or tag (name of a release).
# digest: the key beside a tag that changes together with it. required: false allows a target to be absent.
# matches: {min, max} is how often it may be there; once when it is not said.
`;

/** The text of a first `promotion.yml`; the same instance gives the same text. */
export function firstPromotionFile({ upstreams, targets }: Discovered): string {
  const [first = { name: '' }] = upstreams;
  return [
    '---',
    HEAD,
    '# The first one is promoted unless --upstream names another.',
    'upstreams:',
    ...upstreams.map(upstreamText),
    '',
    '# Labels of every merge request, and the branch that it goes to (default: that of the remote).',
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
    `  ${name}:`,
    `    url: ${scalar(url)}`,
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

/** Plain where every reader takes it for text. */
function scalar(text: string): string {
  return /^[A-Za-z./][\w./:-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : `'${text.replaceAll("'", "''")}'`;
}
