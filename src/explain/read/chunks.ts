/** Takes a chunked body apart (RFC 9112 §7.1), line ends CRLF or LF; null when it is none. */
export function readChunks(bytes: Buffer): Buffer | null {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\n', at);
    if (lineEnd === -1) return null;
    const size = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?\r?$/.exec(bytes.toString('latin1', at, lineEnd))?.[1];
    if (size === undefined) return null;
    const start = lineEnd + 1;
    const end = start + parseInt(size, 16);
    if (end === start) return Buffer.concat(pieces);
    if (end > bytes.length) return null;
    pieces.push(bytes.subarray(start, end));
    at = bytes.toString('latin1', end, end + 2) === '\r\n' ? end + 2 : end + 1;
  }
}
