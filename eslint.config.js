import tseslint from 'typescript-eslint';
import { commentWidthRule } from './scripts/lint/comment-width.mjs';
import { docstringRule } from './scripts/lint/docstrings.mjs';
import { moduleStateRule } from './scripts/lint/module-state.mjs';
import { plainObjectRule } from './scripts/lint/plain-objects.mjs';
import { wingRule } from './scripts/lint/wings.mjs';

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
      'interop/**/target/',
      'interop/**/vendor/',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.test.json' } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['src/**/*.ts'],
    plugins: {
      postern: {
        rules: {
          'comment-width': commentWidthRule,
          docstrings: docstringRule,
          'module-state': moduleStateRule,
          'plain-objects': plainObjectRule,
          wings: wingRule,
        },
      },
    },
    rules: {
      'postern/comment-width': 'error',
      'postern/docstrings': 'error',
      'postern/module-state': 'error',
      'postern/plain-objects': 'error',
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
    files: [
      'eslint.config.js',
      '{clients,interop,drills}/**/*.mjs',
      'examples/k6/*.js',
      'src/operators/console/assets/*.js',
    ],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
