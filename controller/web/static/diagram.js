// A small drawn board: sites, pieces, what changed, what could not be seen.
const NS = "http://www.w3.org/2000/svg";

export function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const points = (polygon) => polygon.map((point) => point.join(",")).join(" ");

// Where `count` pieces on one site stand: in the middle, or around it.
export function places([x, y], count, size) {
  if (count === 1) return [[x, y]];
  const away = size * (count < 4 ? 0.42 : 0.5);
  return Array.from({ length: count }, (_, i) => {
    const turn = (2 * Math.PI * i) / count - Math.PI / 2;
    return [x + away * Math.cos(turn), y + away * Math.sin(turn)];
  });
}

// `on`: site -> kinds. `marks`: `changed`, `fault`, `hidden` lists of sites.
export function diagram(set, on, marks = {}) {
  const svg = make("svg", { class: "diagram", viewBox: set.crop.join(" "), role: "img" });
  const [x, y, width, height] = set.crop;
  svg.append(make("rect", { class: "ground", x, y, width, height, rx: 6 }));
  for (const [left, top, wide, high] of Object.values(set.cards)) svg.append(make("rect", { class: "slide", x: left, y: top, width: wide, height: high }));
  const marked = make("g");
  for (const [site, place] of Object.entries(set.sites)) {
    const field = make("polygon", { class: "field", points: points(place.polygon) });
    if (place.fill) field.setAttribute("fill", place.fill);
    svg.append(field);
    for (const mark of ["changed", "fault", "hidden"])
      if (marks[mark]?.includes(site)) marked.append(make("polygon", { class: `mark ${mark}`, points: points(place.polygon) }));
  }
  svg.append(marked);
  for (const [site, kinds] of Object.entries(on)) {
    const place = set.sites[site];
    if (!place) continue;
    const size = set.size * (kinds.length > 1 ? 0.72 : 1);
    places(place.centre, kinds.length, size).forEach(([cx, cy], i) => {
      svg.append(make("image", { href: set.kinds[kinds[i]] ?? "", x: cx - size / 2, y: cy - size / 2, width: size, height: size }));
    });
  }
  return svg;
}
