/**
 * The wings of src/, lowest first: a file imports from its own wing and from those before it (docs/architecture.md).
 * `src/gen/` is generated from `proto/` and imports nothing; `src/main.ts` starts `cli/`.
 */
export const wings = [
  'gen',
  'base',
  'wire',
  'model',
  'check',
  'resources',
  'stores',
  'gateway',
  'partners',
  'operators',
  'cli',
  'main.ts',
];
