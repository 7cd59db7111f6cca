import assert from 'node:assert/strict';
import { StatusLine } from '../../../../src/cli/demo/fetch-programs.ts';

function written(isTerminal: boolean, act: (status: StatusLine) => void): string {
  let text = '';
  act(
    new StatusLine({
      isTerminal,
      write: (piece) => {
        text += piece;
      },
    }),
  );
  return text;
}

function download(status: StatusLine): void {
  status.show('downloading', '1 of 2 MB');
  status.show('downloading', '2 of 2 MB');
  status.show('starting');
  status.clear();
  status.clear();
}

describe('progress', () => {
  it('is one line that changes and goes away on a terminal', () => {
    const clear = '\r\u001b[K';
    assert.equal(
      written(true, download),
      `${clear}downloading  1 of 2 MB${clear}downloading  2 of 2 MB${clear}starting …${clear}`,
    );
  });

  it('is a plain line for each step elsewhere', () => {
    assert.equal(written(false, download), 'downloading …\nstarting …\n');
  });
});
