import { escapeInJson, escapeInYaml, hasInvisible } from '../../model/document/escape-invisible.ts';
import { loadYaml } from '../../model/document/yaml-library.ts';
import type { OutputFormat } from '../flags/options.ts';

/**
 * A value as JSON or YAML, with a line feed at its end. Characters that a terminal would obey or not show (controls,
 * marks of direction, line separators) are written as escapes: a parser reads the same value.
 */
export function formatData(value: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? `${formatJson(value)}\n` : formatYaml(value);
}

/** What a command prints: a value for programs, text for people. */
export function renderResult(format: OutputFormat, value: object, text: string): string {
  return format === 'table' ? text : formatData(value, format);
}

/** A value as JSON without a line feed at its end, each line after so many blanks. */
export function formatJson(value: unknown, indentation = 0): string {
  const margin = ' '.repeat(indentation);
  return margin + escapeInJson(JSON.stringify(value, null, 2)).replaceAll('\n', `\n${margin}`);
}

/** A block scalar loses blanks at its beginning and those before the end of a line. */
const BLANKS_THAT_BLOCKS_LOSE = /^\s|[ \t](\n|$)/;

function formatYaml(value: unknown): string {
  const { Document, visit } = loadYaml();
  // Without aliases: what appears twice is written twice, for readers that know only plain YAML.
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value !== 'string') return;
      if (hasInvisible(scalar.value) || BLANKS_THAT_BLOCKS_LOSE.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeInYaml(document.toString({ lineWidth: 0 }));
}
