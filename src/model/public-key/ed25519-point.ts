/** The prime of the field of edwards25519 (RFC 8032 §5.1). */
const P = 2n ** 255n - 19n;
/** Its constant d, -121665 / 121666. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
/** The y coordinates of the points whose order divides 8: a key there fits signatures that nobody made with a key. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
]);

/** Why 32 bytes are no public key of Ed25519, in words that follow "this"; null when they are one (RFC 8032 §5.1.3). */
export function findPointFault(bytes: Uint8Array): string | null {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n);
  if (y >= P) return 'is not in its one canonical form';
  if (SMALL_ORDER.has(y)) return 'is a point of small order, with which anybody can sign';
  // x² is a quotient, which is a square exactly where the product is one.
  return isSquare(mod((y * y - 1n) * mod(D * y * y + 1n))) ? null : 'is not a point of its curve';
}

function mod(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = mod(base), left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}

function isSquare(value: bigint): boolean {
  return value === 0n || power(value, (P - 1n) / 2n) === 1n;
}
