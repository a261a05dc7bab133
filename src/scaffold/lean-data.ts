import type { InstanceAnswers } from './answers.ts';
import { integrationFile } from './integration-file.ts';
import { modeline } from './modeline.ts';
import type { NewFiles } from './new-files.ts';
import { scalar } from './scalar.ts';

/** The smallest complete data: an integration, and a namespace that contains its cluster and environment. */
export function leanData(answers: InstanceAnswers): NewFiles {
  const namespace = `/namespaces/${answers.namespace}.yml`;
  return new Map([
    [`data${namespace}`, namespaceFile(answers)],
    [
      `data/integrations/${answers.integration}.yml`,
      integrationFile({ name: answers.integration, namespace, full: false, depth: 2 }),
    ],
  ]);
}

function namespaceFile({ namespace, cluster, server, environment }: InstanceAnswers): string {
  return [
    ...modeline('lean-namespace', 2),
    '# Where integrations run: a namespace of a cluster, in an environment. All fields: echelon explain lean-namespace',
    '$schema: /openshift/lean-namespace-1.yml',
    `name: ${scalar(namespace)}`,
    'cluster:',
    `  name: ${scalar(cluster)}`,
    `  serverUrl: ${server}`,
    '  # Where its token is in Vault or --secrets-dir; without either, a kubeconfig context of the same name or server is used.',
    `  automationToken: { path: clusters/${cluster}, field: token }`,
    'environment:',
    `  name: ${scalar(environment)}`,
    '',
  ].join('\n');
}
