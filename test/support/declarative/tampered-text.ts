import fc from 'fast-check';

/** Pieces that have a meaning in YAML or JSON, or that break it. */
export const yamlMarks: readonly string[] = [
  ...[
    '\n',
    '\r',
    '\r\n',
    '\t',
    ' ',
    '  ',
    '\n  ',
    '\n    ',
    '\u00a0',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u0000',
    '\ud800',
  ],
  ...['-', '- ', '- a\n', '- b: c\n', ':', ': ', '?', '? ', '#', ' #', '"', "'", '{', '}', '[', ']', ',', '\\'],
  ...['|', '|2', '>', '>-', '&a', '&a ', '*a', '*a ', '!', '!x ', '!!str ', '%', '@', '`', '<<: ', '---\n', '...\n'],
  ...['0', 'e', 'x', '~', 'null', 'true', '.', '__proto__: 1\n', 'id: 1\n'],
];

/** Changes a text in up to `maxLength` places: some characters are cut out there, and one of the pieces is put in. */
export function tampering(
  pieces: readonly string[],
  lengths: { readonly minLength?: number; readonly maxLength: number },
): fc.Arbitrary<(text: string) => string> {
  const edit = fc.record({ at: fc.nat({ max: 2000 }), drop: fc.nat({ max: 4 }), put: fc.constantFrom(...pieces) });
  return fc.array(edit, lengths).map((edits) => (text) => {
    let edited = text;
    for (const { at, drop, put } of edits) {
      const place = at % (edited.length + 1);
      edited = edited.slice(0, place) + put + edited.slice(place + drop);
    }
    return edited;
  });
}
