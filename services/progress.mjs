// What an installation shows.

const megabytes = (bytes) => (bytes / 1e6).toFixed(0);

const phases = {
  waiting: () => 'waiting for another installation to end',
  downloading: ({ bytes, totalBytes }) =>
    totalBytes === undefined ? 'downloading' : `downloading, ${megabytes(bytes)} of ${megabytes(totalBytes)} MB`,
  unpacking: () => 'unpacking',
  building: () => 'building, this takes minutes the first time',
  ready: ({ origin, path }) => ({ present: 'already there', machine: `using ${path}`, installed: 'installed' })[origin],
};

/** On a terminal one line per service that changes; elsewhere a line for each new phase. */
export function progressPrinter(stream) {
  let last = '';
  return (event) => {
    const text = `${event.title}: ${phases[event.phase](event)}`;
    if (stream.isTTY) {
      stream.write(`\r\x1b[K${text}${event.phase === 'ready' ? '\n' : ''}`);
      return;
    }
    const key = `${event.specification} ${event.phase}`;
    if (key !== last) stream.write(`${text}\n`);
    last = key;
  };
}
