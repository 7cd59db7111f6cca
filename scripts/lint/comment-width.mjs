/** The columns of `biome.json`, which formats code and leaves comments alone. */
const MAX_COLUMNS = 120;

/** No line of a comment is longer than a line of code, but for one that is an address. */
export const commentWidthRule = {
  meta: { type: 'layout', schema: [] },
  create(context) {
    const { sourceCode } = context;
    const check = (comment) => {
      for (let line = comment.loc.start.line; line <= comment.loc.end.line; line += 1) {
        const text = sourceCode.lines[line - 1];
        if (text.length <= MAX_COLUMNS || /^\s*(\/\/|\*)?\s*https?:\/\/\S+$/.test(text)) continue;
        const loc = { start: { line, column: MAX_COLUMNS }, end: { line, column: text.length } };
        context.report({ loc, message: `A comment goes beyond ${MAX_COLUMNS} columns.` });
      }
    };
    return { Program: () => sourceCode.getAllComments().forEach(check) };
  },
};
