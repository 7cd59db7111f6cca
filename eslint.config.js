import { dirname, relative, resolve } from 'node:path';
import tseslint from 'typescript-eslint';
import { wings } from './scripts/rooms/wings.mjs';

const noBarrels = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  { selector: 'ExportAllDeclaration', message: 'No barrel files.' },
  { selector: 'TSEnumDeclaration', message: 'Use an `as const` table.' },
];
const noAmbientClock = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take the clock as an argument.' },
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'Take the clock as an argument.' },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: 'Use node:crypto.' },
];
const secretName = '/(signature|secret|token|digest)$/i';
const noNaiveCompare = [
  {
    selector: `BinaryExpression[operator=/^[!=]==?$/]:not([right.type="Literal"][right.raw="null"]):not([right.name="undefined"]) > Identifier[name=${secretName}]`,
    message: 'Compare secrets with equal().',
  },
  {
    selector: `BinaryExpression[operator=/^[!=]==?$/]:not([right.type="Literal"][right.raw="null"]):not([right.name="undefined"]) > MemberExpression[property.name=${secretName}]`,
    message: 'Compare secrets with equal().',
  },
];

/** The files that may know a kind of store. All else takes the ports of `check/store/` and `resources/changes/`. */
const kindsOfStores = ['stores/file/', 'stores/mongodb/'];
const mayKnowStores = ['gateway/store.ts', 'cli/store/open-store.ts'];

const src = `${import.meta.dirname}/src/`;

/** Imports go down the list of wings, and only composition roots know the kinds of stores. */
const wingRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const path = relative(src, context.filename);
    const wing = path.split('/')[0];
    const check = (node, target) => {
      if (typeof target !== 'string' || !target.startsWith('.')) return;
      const to = relative(src, resolve(dirname(context.filename), target));
      const other = to.split('/')[0];
      if (other === '..') return;
      if (!wings.includes(other)) context.report({ node, message: `${other} is no wing (scripts/rooms/wings.mjs).` });
      if (wings.indexOf(other) > wings.indexOf(wing)) {
        context.report({ node, message: `${wing} stands below ${other} (scripts/rooms/wings.mjs).` });
      }
      const kind = kindsOfStores.find((folder) => to.startsWith(folder));
      if (kind !== undefined && !path.startsWith(kind) && !mayKnowStores.includes(path)) {
        context.report({
          node,
          message: `${path} takes a port of check/store/ or resources/changes/ instead of ${kind}.`,
        });
      }
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ImportExpression: (node) => check(node, node.source.value),
    };
  },
};

export default tseslint.config(
  {
    ignores: [
      'build/',
      'dist/',
      'src/gen/',
      '.services/',
      'scripts/',
      'services/',
      'deploy/',
      'clients/**/dist/',
      'clients/**/target/',
      'clients/**/vendor/',
      'clients/postman/',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.test.json' } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { postern: { rules: { wings: wingRule } } },
    rules: {
      'postern/wings': 'error',
      'no-restricted-syntax': ['error', ...noBarrels, ...noAmbientClock, ...noNaiveCompare],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^\\.{1,2}/?$', message: 'Import the file, not the folder.' },
            {
              regex: '^(\\.\\./)+(attacks|bench|drills|scripts|test)/',
              message: 'Those use src/, and src/ uses none of them.',
            },
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Reflect', property: 'get', message: "What types do not show is a library's own." },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'Only main.ts and cli/process-terminal.ts touch the process.' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/return-await': ['error', 'always'],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  { files: ['src/base/clock.ts'], rules: { 'no-restricted-syntax': ['error', ...noBarrels, ...noNaiveCompare] } },
  // The socket below a TLS socket, and where a socket keeps the option `onread`: Node says nothing of it in public.
  {
    files: ['src/wire/server/listening.ts', 'src/wire/http2/socket-input.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  { files: ['src/main.ts', 'src/cli/process-terminal.ts'], rules: { 'no-restricted-globals': 'off' } },
  {
    files: ['clients/{javascript,explain}/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...noBarrels],
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['describe', 'it'] }] },
      ],
      eqeqeq: 'error',
    },
  },
  {
    files: ['clients/javascript/**/*.ts'],
    languageOptions: { parserOptions: { project: './clients/javascript/tsconfig.test.json' } },
  },
  {
    files: ['clients/explain/**/*.ts'],
    languageOptions: { parserOptions: { project: './clients/explain/tsconfig.json' } },
  },
  {
    files: ['clients/javascript/src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^[^.]', message: 'The package has no dependencies.' }] },
      ],
      'no-restricted-globals': ['error', 'process', 'Buffer'],
      'no-console': 'error',
    },
  },
  {
    files: ['eslint.config.js', 'clients/**/*.mjs', 'src/operators/console/assets/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
