// Says why the gateway refused a request, where it did.
pm.test('was let in', () => {
  if (pm.response.code < 400) return;
  let refusal = null;
  try {
    refusal = pm.response.json();
  } catch {
    // Not the gateway's: the API answers in its own way.
  }
  if (typeof refusal?.code !== 'string' || typeof refusal.requestId !== 'string') return;
  if (refusal.code === 'TOKEN_INVALID') pm.collectionVariables.unset('accessToken');
  const hint = refusal.stringToSign === undefined ? '' : `\nThe gateway signed:\n${refusal.stringToSign}`;
  pm.expect.fail(`${refusal.code}: ${refusal.message} (requestId ${refusal.requestId})${hint}`);
});
