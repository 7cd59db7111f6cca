// Objects as kustomize writes them, layer upon layer: every line knows the layers with which it is there.

/** The objects of the first layer, all of whose lines are always there. */
export const firstLayer = (yaml) => splitObjects(yaml).map((object) => ({ ...object, layer: '' }));

/**
 * The same objects with one more layer, given as what kustomize makes of all layers up to it. Lines that it adds are
 * there only with it, and lines that it removes only without it.
 */
export function addLayer(objects, layer, yaml) {
  const rendered = new Map(splitObjects(yaml).map((object) => [keyOf(object), object]));
  const changed = objects.map((object) => {
    const now = rendered.get(keyOf(object));
    if (now === undefined) throw new Error(`${layer} removes ${keyOf(object)}`);
    rendered.delete(keyOf(object));
    return { ...object, lines: mergeLines(object.lines, now.lines, layer) };
  });
  return [...changed, ...[...rendered.values()].map((object) => ({ ...object, layer }))];
}

/** The template of an object, with the conditions of the layers around its lines. */
export function writeObject({ layer, lines }) {
  const groups = [];
  for (const { text, conditions } of lines) {
    const condition = conditions.map(conditionText).join(' ');
    if (groups.at(-1)?.condition === condition) groups.at(-1).texts.push(text);
    else groups.push({ condition, count: conditions.length, texts: [text] });
  }
  const body = groups
    .map(({ condition, count, texts }) => when(count > 1 ? `and ${condition}` : condition, `${texts.join('\n')}\n`))
    .join('');
  return when(layer === '' ? '' : conditionText({ layer, isWith: true }), `---\n${body}`);
}

const when = (condition, text) => (condition === '' ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`);

function conditionText({ layer, isWith }) {
  const value = layer === 'schema' ? '(include "postern.hasSchema" .)' : `.Values.${layer}`;
  return isWith ? value : `(not ${value})`;
}

const keyOf = ({ kind, name }) => `${kind} ${name}`;

/** Settings start new pods by an annotation; their objects keep one name. */
const settingsHash = /\b(postern|postern-manage)-(?=[a-z0-9]{10}$)(?=[a-z0-9]*\d)[a-z0-9]{10}$/gm;

function splitObjects(yaml) {
  if (yaml.includes('{{')) throw new Error('a manifest has {{, which a template would read');
  return yaml
    .replace(settingsHash, '$1')
    .split(/^---\n/m)
    .map((text) => ({
      kind: /^kind: (.*)$/m.exec(text)?.[1],
      name: /^metadata:\n(?: {2}.*\n)*? {2}name: (.*)$/m.exec(text)?.[1],
      lines: text
        .trimEnd()
        .split('\n')
        .map((line) => ({ text: line, conditions: [] })),
    }));
}

/** Both lists of lines in one; a line that holds without the former layer only keeps its place. */
function mergeLines(before, after, layer) {
  const isActive = ({ conditions }) => conditions.every(({ isWith }) => isWith);
  const lengths = commonLengths(before.filter(isActive), after);
  const merged = [];
  let [left, right] = [0, 0];
  for (const line of before) {
    if (!isActive(line)) {
      merged.push(line);
      continue;
    }
    while (
      right < after.length &&
      line.text !== after[right].text &&
      lengths[left][right + 1] >= lengths[left + 1][right]
    ) {
      if (lengths[left][right + 1] !== lengths[left][right]) break;
      merged.push(onlyWith(after[right], layer, true));
      right += 1;
    }
    if (line.text === after[right]?.text) {
      merged.push(line);
      right += 1;
    } else {
      merged.push(onlyWith(line, layer, false));
    }
    left += 1;
  }
  return [...merged, ...after.slice(right).map((line) => onlyWith(line, layer, true))];
}

const onlyWith = ({ text, conditions }, layer, isWith) => ({ text, conditions: [...conditions, { layer, isWith }] });

/** How many lines the rests of both lists, from each pair of places on, have in common. */
function commonLengths(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      lengths[left][right] =
        before[left].text === after[right].text
          ? lengths[left + 1][right + 1] + 1
          : Math.max(lengths[left + 1][right], lengths[left][right + 1]);
    }
  }
  return lengths;
}
