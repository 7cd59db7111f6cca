// Sends an access token. It is kept in the collection variable accessToken, and a new one is asked for before it ends.
function sendToken() {
  const appKey = readAppKey();
  const kept = JSON.parse(pm.collectionVariables.get('accessToken') || 'null');
  if (kept !== null && kept.appKey === appKey && Date.now() < kept.renewAt) {
    setToken(kept.token);
    return;
  }
  // RFC 6749 §2.3.1: both are form-encoded first.
  const pair = [appKey, readAppSecret()].map((text) => encodeComponent(text).replaceAll('%20', '+')).join(':');
  const question = {
    url: `${setting('baseUrl')}/oauth2/token`,
    method: 'POST',
    header: {
      Authorization: `Basic ${cryptoJs.enc.Base64.stringify(cryptoJs.enc.Utf8.parse(pair))}`,
      'Content-Type': FORM,
    },
    body: { mode: 'raw', raw: 'grant_type=client_credentials' },
  };
  pm.sendRequest(question, (error, response) => keepToken(appKey, error, response));
}

function keepToken(appKey, error, response) {
  if (error) refuse('NO_TOKEN', `no answer of the token address: ${error.message}`);
  const answer = answerOf(response);
  if (response.code !== 200 || typeof answer.access_token !== 'string') {
    refuse(answer.error ?? 'NO_TOKEN', answer.error_description ?? 'the token address gave no token');
  }
  const lifeMs = answer.expires_in * 1000;
  // As the signing clients do: a minute before the end, or a tenth of its life.
  const renewAt = Date.now() + lifeMs - Math.min(60_000, lifeMs / 10);
  pm.collectionVariables.set('accessToken', JSON.stringify({ appKey, token: answer.access_token, renewAt }));
  setToken(answer.access_token);
}

function answerOf(response) {
  try {
    return response.json();
  } catch {
    return {};
  }
}

function setToken(token) {
  pm.request.headers.upsert({ key: 'Authorization', value: `Bearer ${token}` });
}

sendToken();
