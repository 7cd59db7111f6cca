import { Option } from 'commander';

const outputFormats = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** `-o`. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print').choices(outputFormats).default('table');
}
