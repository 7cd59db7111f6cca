// Sends the App Key in the header keyHeader, or, where keyQuery is set, in that query parameter.
function sendKey() {
  const appKey = readAppKey();
  const keyQuery = setting('keyQuery');
  if (keyQuery === '') {
    pm.request.headers.upsert({ key: setting('keyHeader') || 'X-App-Key', value: appKey });
    return;
  }
  fixTarget();
  const [address, query = ''] = pm.request.url.toString().split(/\?(.*)/s);
  const name = encodeComponent(keyQuery);
  if (query.split('&').some((part) => nameOf(part) === keyQuery)) {
    refuse('RESERVED_PARAMETER', 'the query has a parameter of the name in keyQuery already');
  }
  pm.request.url.update(`${address}?${joined(query, [`${name}=${appKey}`])}`);
}

/** What cannot be decoded is no name. */
function nameOf(part) {
  try {
    return decodeURIComponent(part.split('=')[0].replaceAll('+', ' '));
  } catch {
    return null;
  }
}

sendKey();
