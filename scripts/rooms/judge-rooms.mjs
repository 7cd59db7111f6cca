import { wings } from './wings.mjs';

/** The wing of a file: `check` of `check/route/route.ts`. */
const wingOf = (file) => file.split('/')[0];
/** The room of a file: a folder or file directly in a wing. */
const roomOf = (file) => file.split('/').slice(0, 2).join('/');

/**
 * What holds between the files of src/: counts of wings, rooms and the arrows between them, and in sentences what must
 * not be: arrows against the order of the wings, circles between rooms, and circles between files, but for two of which
 * one needs only types of the other.
 */
export function judgeRooms(files, imports) {
  const rooms = new Set(files.map(roomOf));
  const [betweenWings, betweenRooms] = [wingOf, roomOf].map((placeOf) => arrowsBetween(imports, placeOf));
  const known = new Set(wings);
  const homeless = files.filter((file) => !known.has(wingOf(file)));
  const back = imports.filter(({ from, to }) => wings.indexOf(wingOf(to)) > wings.indexOf(wingOf(from)));
  const betweenFiles = arrowsBetween(imports, (file) => file);
  const values = new Set(imports.filter(({ isType }) => !isType).map(({ from, to }) => `${from} ${to}`));
  const isPairByTypes = (circle) =>
    circle.length === 2 && !(values.has(circle.join(' ')) && values.has(circle.toReversed().join(' ')));
  return {
    counts: {
      wings: new Set(files.filter((file) => file.includes('/')).map(wingOf)).size,
      rooms: rooms.size,
      arrowsBetweenWings: betweenWings.length,
      arrowsBetweenRooms: betweenRooms.length,
      arrowsBack: arrowsBetween(back, wingOf).length,
    },
    faults: [
      ...homeless.map((file) => `src/${file}: no wing of this name; see scripts/rooms/wings.mjs`),
      ...back.map(({ from, to }) => `src/${from} imports src/${to}, but ${wingOf(from)} stands below ${wingOf(to)}`),
      ...circlesOf(betweenRooms).map((circle) => `a circle of rooms: ${circle.join(', ')}`),
      ...circlesOf(betweenFiles)
        .filter((circle) => !isPairByTypes(circle))
        .map((circle) => `a circle of files: ${circle.join(', ')}`),
    ],
  };
}

/** Which places import which others, each pair once. */
function arrowsBetween(imports, placeOf) {
  const pairs = imports.map(({ from, to }) => [placeOf(from), placeOf(to)]).filter(([from, to]) => from !== to);
  return [...new Map(pairs.map((pair) => [pair.join(' '), pair])).values()];
}

/** Sets of places that reach each other (Tarjan's strongly connected components of two or more). */
function circlesOf(arrows) {
  const targets = new Map();
  for (const [from, to] of arrows) targets.set(from, [...(targets.get(from) ?? []), to]);
  const found = [];
  const seen = new Map();
  const open = [];
  const visit = (place) => {
    const order = seen.size;
    let lowest = order;
    seen.set(place, order);
    open.push(place);
    for (const target of targets.get(place) ?? []) {
      if (!seen.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, seen.get(target));
    }
    if (lowest === order) {
      const circle = open.splice(open.indexOf(place));
      if (circle.length > 1) found.push(circle.sort());
    }
    return lowest;
  };
  for (const place of targets.keys()) if (!seen.has(place)) visit(place);
  return found;
}
