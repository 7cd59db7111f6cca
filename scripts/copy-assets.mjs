// The compiler writes programs only: what the console's pages load is copied as it is.
import { cpSync } from 'node:fs';

cpSync(
  new URL('../src/operators/console/assets', import.meta.url),
  new URL('../dist/operators/console/assets', import.meta.url),
  {
    recursive: true,
  },
);
