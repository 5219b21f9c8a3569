// What charts are drawn with: colours, dashes and markers, elements of SVG, and the text of an SVG
// file, in this order.

const svgNamespace = "http://www.w3.org/2000/svg";
const chartFont = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

// Every colour is a variable of the style sheet, with that on paper as its fallback.
const chartColours = {
	ink: "var(--ink, #1c1e21)",
	muted: "var(--muted, #5d6268)",
	grid: "var(--chart-grid, #e6e6e9)",
	axis: "var(--chart-axis, #9a9ca3)",
	ground: "var(--back, #ffffff)",
};

// The colours of Okabe and Ito except yellow, dashes and markers: those of the figures of
// the article. Styles beyond the last colour have other dashes and markers.
const lookColours = [
	"#0072b2",
	"#d55e00",
	"#009e73",
	"#cc79a7",
	"#e69f00",
	"#56b4e9",
	"#2a2a2a",
].map((colour, style) => `var(--chart-${style}, ${colour})`);
const lookDashes = ["", "8 3", "8 3 2 3", "4 2.5", "13 3", "8 2.5 2 2.5 2 2.5", "2 2"];
const lookShapes = ["circle", "square", "triangle", "diamond", "down", "star", "pentagon"];

// lookOf returns the colour, dash and marker of a mark: those of its style, unless the mark has its
// own. Styles that share a colour differ in dash and marker.
function lookOf(mark) {
	const count = lookColours.length;
	const style = mark.style ?? 0;
	// Dash and marker move on by one each time that the colours begin again.
	const other = (style + Math.floor(style / count)) % count;
	return {
		colour: mark.colour ?? lookColours[style % count],
		dash: mark.dash ?? lookDashes[other],
		shape: mark.shape ?? lookShapes[other],
		hollow: mark.hollow ?? false,
	};
}

// svgNode makes an element of SVG; attributes that are undefined or "" are left out.
function svgNode(tag, attributes = {}, ...children) {
	const node = document.createElementNS(svgNamespace, tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (value !== undefined && value !== "") node.setAttribute(name, value);
	}
	node.append(...children);
	return node;
}

// svgWords makes a text in which ^ raises the number behind it.
function svgWords(text, attributes) {
	const node = svgNode("text", attributes);
	text.split(/\^(−?[\d.]+)/).forEach((part, k) => {
		if (part === "") return;
		node.append(
			k % 2 === 0
				? svgNode("tspan", { dy: k > 0 ? "0.4em" : undefined }, part)
				: svgNode("tspan", { dy: "-0.53em", "font-size": "75%" }, part),
		);
	});
	return node;
}

// svgName makes a text as it is, such as the name of an algorithm.
function svgName(text, attributes) {
	return svgNode("text", attributes, text);
}

// isNumber tells whether a value is a number, which may be infinite.
function isNumber(value) {
	return typeof value === "number" && !Number.isNaN(value);
}

// pixel rounds a coordinate to a tenth of a pixel, and keeps it near the chart, since browsers do
// not draw to coordinates without limit.
function pixel(coordinate) {
	return Math.round(10 * Math.min(2e4, Math.max(-2e4, coordinate))) / 10;
}

// markerPath returns the path of a marker of radius r around (x, y).
function markerPath(shape, x, y, radius) {
	// the number of corners, and the angle of the first in degrees
	const corners = {
		square: [4, 45],
		triangle: [3, 90],
		diamond: [4, 0],
		down: [3, -90],
		star: [10, 90],
		pentagon: [5, 90],
	}[shape];
	x = pixel(x);
	y = pixel(y);
	if (!corners) {
		const arc = `a${radius},${radius} 0 1,0 `; // half of a circle
		return `M${x - radius},${y}${arc}${2 * radius},0${arc}${-2 * radius},0`;
	}
	const [count, first] = corners;
	let path = "";
	for (let k = 0; k < count; k++) {
		const isInner = shape === "star" && k % 2 === 1;
		const angle = ((first + (360 * k) / count) * Math.PI) / 180;
		const size = 1.25 * radius * (isInner ? 0.5 : 1);
		const cornerX = pixel(x + size * Math.cos(angle));
		const cornerY = pixel(y - size * Math.sin(angle));
		path += `${k ? "L" : "M"}${cornerX},${cornerY}`;
	}
	return path + "Z";
}

// marker draws a marker of a look.
function marker(look, x, y, radius) {
	return svgNode("path", {
		d: markerPath(look.shape, x, y, radius),
		stroke: look.hollow ? look.colour : chartColours.ground,
		"stroke-width": look.hollow ? 1.5 : 0.75,
		fill: look.hollow ? chartColours.ground : look.colour,
	});
}

// svgText returns charts, one below the other, as one SVG on white paper that needs
// nothing else: every variable is replaced by its fallback.
function svgText(...charts) {
	const width = Math.max(...charts.map(chart => chart.viewBox.baseVal.width));
	const all = svgNode("svg", { width });
	let height = 0;
	for (const chart of charts) {
		const copy = chart.cloneNode(true);
		for (const node of copy.querySelectorAll(".chart-over")) {
			node.remove();
		}
		for (const node of copy.querySelectorAll(".dim")) {
			for (const name of ["fill", "stroke"]) {
				if (node.hasAttribute(name) && node.getAttribute(name) !== "none") {
					node.setAttribute(name, chartColours.axis);
				}
			}
		}
		for (const node of copy.querySelectorAll("[data-key]")) {
			node.removeAttribute("class");
		}
		for (const name of ["class", "tabindex"]) {
			copy.removeAttribute(name);
		}
		copy.setAttribute("y", height);
		height += chart.viewBox.baseVal.height;
		all.append(copy);
	}
	all.setAttribute("height", height);
	all.setAttribute("viewBox", `0 0 ${width} ${height}`);
	all.prepend(svgNode("rect", { width, height, fill: "#ffffff" }));
	for (const node of all.querySelectorAll("*")) {
		for (const { name, value } of [...node.attributes]) {
			const variable = value.match(/^var\(--[\w-]+, (.+)\)$/);
			if (variable) node.setAttribute(name, variable[1]);
		}
	}
	return new XMLSerializer().serializeToString(all);
}
