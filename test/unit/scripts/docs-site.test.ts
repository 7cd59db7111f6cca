import assert from 'node:assert/strict';
import { findFaults } from '../../../scripts/docs/check-site.mjs';
import { DocsFailure } from '../../../scripts/docs/failure.mjs';
import { readBook } from '../../../scripts/docs/stage.mjs';
import { findDocuments, projectRoot } from '../../support/docs/documents.ts';
import { writeTree } from '../../support/docs/write-tree.ts';

const project = {
  'docs/README.md':
    '# Book\n\n## Begin\n\n| [Start](start.md) | |\n\n## Inside\n\n[1 why](adr/1.md), [help](../HELP.md#more)\n',
  'docs/start.md':
    '# Start\n\n![a picture](pictures/a.svg) [set-up](../config.yaml), [all](../deploy)\n\n```md\n[no](link.md)\n```\n',
  'docs/adr/1.md': '# Why\n\nSee [the start](../start.md#start) and `[no](link.md)`.\n',
  'docs/pictures/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'HELP.md': '# Help\n\n## More\n\n[Contents](docs/README.md)\n',
  'config.yaml': 'a: 1\n',
  'deploy/b.yaml': 'b: 2\n',
};

describe('the pages of the site', () => {
  it('are those of docs/ and every document that they link to, with links as the site has them', async () => {
    await using tree = await writeTree(project);
    const { pages, files, images } = readBook(tree.path);
    assert.deepEqual(Object.fromEntries(pages.map(({ path, text }) => [path, text])), {
      'index.md':
        '# Book\n\n## Begin\n\n| [Start](./start.md) | |\n\n## Inside\n\n[1 why](./adr/1.md), [help](./repository/HELP.md#more)\n',
      'start.md':
        '# Start\n\n![a picture](./pictures/a.svg) [set-up](./repository/config.yaml.txt), [all](./repository/deploy.txt)\n\n```md\n[no](link.md)\n```\n',
      'adr/1.md': '# Why\n\nSee [the start](../start.md#start) and `[no](link.md)`.\n',
      'repository/HELP.md': '# Help\n\n## More\n\n[Contents](../index.md)\n',
    });
    assert.deepEqual(files, [
      { path: 'repository/config.yaml.txt', text: 'a: 1\n' },
      { path: 'repository/deploy.txt', text: 'b.yaml\n' },
    ]);
    assert.deepEqual(images, [{ from: 'docs/pictures/a.svg', path: 'pictures/a.svg' }]);
  });

  it('stand in the sidebar in the order of docs/README.md', async () => {
    await using tree = await writeTree(project);
    assert.deepEqual(
      readBook(tree.path).sidebar.map(({ text, items }) => [text, items.map(({ text: label, link }) => [label, link])]),
      [
        ['Begin', [['Start', '/start.md']]],
        [
          'Inside',
          [
            ['1 why', '/adr/1.md'],
            ['Help', '/repository/HELP.md#more'],
          ],
        ],
      ],
    );
  });

  it('are refused when a link leads to nothing', async () => {
    await using tree = await writeTree({ ...project, 'HELP.md': '# Help\n\n[gone](docs/gone.md) [too](x.yaml)\n' });
    assert.throws(
      () => readBook(tree.path),
      (error) => {
        assert.ok(error instanceof DocsFailure);
        assert.equal(error.message, 'HELP.md: docs/gone.md leads to nothing\nHELP.md: x.yaml leads to nothing');
        return true;
      },
    );
  });

  it('have every page of this book', () => {
    const paths = new Set(readBook(projectRoot).pages.map(({ path }) => path));
    const missing = findDocuments()
      .filter((path) => path.startsWith('docs/') && path !== 'docs/README.md')
      .filter((path) => !paths.has(path.slice('docs/'.length)));
    assert.deepEqual(missing, []);
  });
});

describe('a built site', () => {
  const good = {
    'index.html': '<h1 id="book">Book</h1><a href="/b/start.html#start">x</a><script src="/b/assets/a.js"></script>',
    'start.html': '<h1 id="start">Start</h1><a href="./">x</a><a class="c" href="https://example.com/">y</a>',
    'assets/chunks/@localSearchIndexroot.abc.js': 'const i={"0":"/b/#book","1":"/b/start.html#start"}',
    'assets/style.css': '@font-face{src:url(/b/assets/f.woff2)}',
  };
  const pages = ['index.md', 'start.md'];

  async function find(changes: Readonly<Record<string, string>>): Promise<readonly string[]> {
    await using tree = await writeTree({ ...good, ...changes });
    return findFaults({ site: tree.path, base: '/b/', pages });
  }

  it('has nothing to be said about', async () => {
    assert.deepEqual(await find({}), []);
  });

  it('must have every page, and each in the search index', async () => {
    await using tree = await writeTree(good);
    assert.deepEqual(findFaults({ site: tree.path, base: '/b/', pages: [...pages, 'more.md'] }), [
      'more.html is missing',
    ]);
    assert.deepEqual(await find({ 'assets/chunks/@localSearchIndexroot.abc.js': '"/b/"' }), [
      'start.html is not in the search index',
    ]);
    assert.ok((await find({ 'assets/chunks/@localSearchIndexroot.abc.js': '' })).includes('there is no search index'));
  });

  it('must not have links to nothing, nor to headings that are not there', async () => {
    const text =
      '<a href="/b/gone.html">x</a><a href="start.html#gone">x</a><a href="/start.html">x</a><a href="#no">x</a>';
    assert.deepEqual(await find({ 'index.html': text }), [
      'index.html: /b/gone.html leads to nothing',
      'index.html: start.html#gone leads to no heading',
      'index.html: /start.html leads to nothing',
      'index.html: #no leads to no heading',
    ]);
  });

  it('must not load anything from other hosts', async () => {
    const faults = await find({
      'index.html': '<script src="https://a.example/a.js"></script><link rel="icon" href="//b.example/i.png">',
      'assets/style.css': '@import "https://c.example/c.css";a{background:url(https://d.example/d.png)}',
    });
    assert.deepEqual(faults, [
      'index.html loads https://a.example/a.js',
      'index.html loads //b.example/i.png',
      'assets/style.css loads https://c.example/c.css',
      'assets/style.css loads https://d.example/d.png',
    ]);
  });
});
