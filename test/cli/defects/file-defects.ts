import { symlinkSync } from 'node:fs';
import { type Defect, FILE } from './defect.ts';

const LAUGHS = `---
a: &a [ha, ha, ha, ha, ha, ha, ha, ha, ha]
${['b', 'c', 'd', 'e', 'f', 'g', 'h']
  .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join(', ')}]`)
  .join('\n')}
`;

/** What is wrong with a file before its fields are looked at. */
export const FILE_DEFECTS: readonly Defect[] = [
  {
    defect: 'a plain value with a colon inside',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.rulesTester, 'Runs the', 'Runs: the', ': the'),
      rule: 'yaml-syntax',
      says: 'mapping',
    }),
  },
  {
    defect: 'a bracket that is not closed',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.rulesTester, 'labels: {}\n\nname', 'labels: {\n\nname', 'name'),
      rule: 'yaml-syntax',
      says: 'indentation',
      hint: 'brackets',
    }),
  },
  {
    defect: 'a quote that is not closed',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.rulesTester, ': prometheus-rules-tester\ndes', ': "prometheus-rules-tester\ndes', 'des'),
      rule: 'yaml-syntax',
      says: 'indentation',
      hint: 'quotes',
    }),
  },
  {
    defect: 'indentation by a tab',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.rulesTester, '  early_exit: true', '\tearly_exit: true', '\t'),
      rule: 'yaml-syntax',
      says: 'tab',
      hint: 'spaces',
    }),
  },
  {
    defect: 'a key that stands twice',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.rulesTester,
        '  early_exit: true',
        '  early_exit: true\n  early_exit: true # 2',
        'early_exit: true #',
      ),
      rule: 'duplicate-key',
      says: 'duplicate key early_exit',
    }),
  },
  {
    defect: 'an empty file',
    withoutSchemas: true,
    inject: (copy) => ({ at: copy.write(FILE.rulesTester, '\n'), rule: 'empty-file', says: 'empty' }),
  },
  {
    defect: 'a list instead of a mapping',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.write(FILE.rulesTester, '- name: a\n- name: b\n'),
      rule: 'not-a-mapping',
      says: 'a list',
    }),
  },
  {
    defect: 'two documents in one file',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.append(FILE.rulesTester, '---\nname: other\n', '---'),
      rule: 'yaml-syntax',
      says: 'single document',
      hint: 'a file of its own',
    }),
  },
  {
    defect: 'a file that is not UTF-8',
    withoutSchemas: true,
    inject: (copy) => {
      copy.write(FILE.rulesTester, Buffer.from(copy.text(FILE.rulesTester).replace('Runs', 'Läuft'), 'latin1'));
      return { at: { file: FILE.rulesTester }, rule: 'not-utf8', says: 'UTF-8' };
    },
  },
  {
    defect: 'a symbolic link that leaves the instance',
    withoutSchemas: true,
    inject: (copy) => {
      symlinkSync('/etc/hostname', copy.path('data/aws/secret.yml'));
      return { at: { file: 'data/aws/secret.yml' }, rule: 'symlink-outside', says: 'points outside the folder' };
    },
  },
  {
    defect: 'aliases that stand for a billion nodes',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.write('data/aws/laughs.yml', LAUGHS),
      rule: 'yaml-aliases',
      says: 'aliases expand to',
    }),
  },
  {
    defect: 'a JSON syntax error',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.write(
        'data/products/new.json',
        '{\n  "$schema": "/app-sre/product-1.yml",\n  "name": "new"\n  "labels": {}\n}\n',
        '"labels"',
      ),
      rule: 'json-syntax',
      says: 'Expected',
    }),
  },
  {
    defect: 'no $schema',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.rulesTester, '$schema: /app-sre/integration-1.yml\n\n', '', ''),
      rule: 'schema-missing',
      says: 'no $schema',
    }),
  },
  {
    defect: 'a $schema that is almost known',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(
        FILE.rulesTester,
        '$schema: /app-sre/integration-1.yml',
        '$schema: /app-sre/integrations-1.yml',
        '/app-sre',
      ),
      rule: 'schema-unknown',
      says: 'unknown schema /app-sre/integrations-1.yml',
      hint: 'did you mean /app-sre/integration-1.yml',
    }),
  },
  {
    defect: 'a $schema without its leading slash',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(
        FILE.rulesTester,
        '$schema: /app-sre/integration-1.yml',
        '$schema: app-sre/integration-1.yml',
        'app-sre',
      ),
      rule: 'schema-unknown',
      says: 'not of the form',
      hint: 'did you mean /app-sre/integration-1.yml',
    }),
  },
];
