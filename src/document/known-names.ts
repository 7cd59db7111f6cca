/**
 * The keys of the declarative document and of the key ring. Only these are repeated from a text, in excerpts and paths:
 * a slip of one character can put a secret where a key or any other value belongs (`{appSecret:…}` is one key).
 */
export const knownNames: ReadonlySet<string> = new Set(
  [
    'version endpoints consumers grants id description name labels enabled credentials scenario match hosts paths',
    'prefix exact methods method authentication accessCondition trafficControl limits requests unit per options',
    'keyNames query header hideCredentials algorithms clockSkewSeconds acceptRealHttpVersion requireTimestamp',
    'parameterEncoding strictParameters unsignedQuery unsignedBody tokenInQuery replayProtection signatureHints mode',
    'onLimiterFailure state notBefore expiresAt endpoint consumer consumerSelector priority appKey appKeyHash appSecret',
    'appSecretFrom env file retiringSecret current staged keys createdAt key',
  ].flatMap((line) => line.split(' ')),
);

/** Stands for a text that is not repeated. */
export const HIDDEN = '…';
