import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const require = createRequire(import.meta.url);

/** The library `yaml`. Its 72 files are loaded at the first call: most commands and documents do without them. */
export function loadYaml(): typeof Yaml {
  return require('yaml') as typeof Yaml;
}
