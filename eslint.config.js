import tseslint from 'typescript-eslint';

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
  { ignores: ['dist/', 'src/gen/', '.services/', 'scripts/', 'services/', 'deploy/'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.test.json' } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
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
  { files: ['src/clock.ts'], rules: { 'no-restricted-syntax': ['error', ...noBarrels, ...noNaiveCompare] } },
  { files: ['src/main.ts', 'src/cli/process-terminal.ts'], rules: { 'no-restricted-globals': 'off' } },
  { files: ['eslint.config.js'], extends: [tseslint.configs.disableTypeChecked] },
);
