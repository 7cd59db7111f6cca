/** Shows what is going on in one line that changes, on a terminal only; null clears it. */
export function createProgress(stream: NodeJS.WriteStream): (text: string | null) => void {
  return (text) => {
    if (stream.isTTY) stream.write(`\r\x1b[K${text ?? ''}`);
  };
}
