import { Option } from 'commander';
import { stringify } from 'yaml';

/** Tables are for people, the others for programs: their names are those of declarative files (interfaces §4). */
export const outputFormats = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** `-o, --output`, which every command that shows something has. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print').choices(outputFormats).default('table');
}

/** A value as JSON or YAML, with a line feed at its end. */
export function formatData(value: unknown, format: 'json' | 'yaml'): string {
  // Without aliases: what stands twice is written twice, for readers that know only plain YAML.
  return format === 'json'
    ? `${JSON.stringify(value, null, 2)}\n`
    : stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
