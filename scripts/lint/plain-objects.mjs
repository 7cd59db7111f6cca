/** No object is spread into another where it stands: its properties are written out, a line each where it takes that. */
export const plainObjectRule = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    return {
      'ObjectExpression > SpreadElement > ObjectExpression': (node) => {
        context.report({ node, message: 'Write the properties out, without a spread.' });
      },
    };
  },
};
