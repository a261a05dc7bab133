import type { InstanceAnswers } from './answers.ts';
import { firstSteps } from './first-steps.ts';
import { SCHEMA_FOLDER } from './modeline.ts';

/** The README of a new instance. */
export function readmeFile({ cluster, integration }: InstanceAnswers): string {
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

/** What must not be committed: credentials, and what is rendered. */
export const GITIGNORE = `.kubeconfig
kubeconfig
rendered/
`;
