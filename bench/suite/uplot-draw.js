// Runs in the report page: draws each figure's plot with uPlot, and lists its numbers when the reader opens them. The plots
// come from the JSON in the page, which omits points that a logarithmic axis cannot show.

const plots = JSON.parse(document.getElementById('plots').textContent);
const COLOURS = 8;
const HEIGHT = 320;
/** The width on paper, independent of the window. */
const PRINT_WIDTH = 680;

const number = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
const format = (value) => (value === null || value === undefined ? '' : number.format(value));
const exact = (value) => (value === null || value === undefined ? '' : String(Number(value.toPrecision(6))));
const distribution = (scale) => (scale === 'log' ? 3 : 1);

/** All series over the union of their x values. null is a gap; undefined means the series has no point there. */
const joined = ({ series }) => uPlot.join(series.map(({ x, y }) => [x, y]));

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(title, size) {
  const [stroke, rule] = [colour('--ink'), colour('--rule')];
  const lines = { stroke: rule, width: 1 };
  const values = (_, splits) => splits.map(format);
  return { label: title, labelSize: 24, size, stroke, grid: lines, ticks: lines, values };
}

function draw(box, width) {
  const plot = plots[box.closest('figure').dataset.plot];
  const options = {
    width,
    height: HEIGHT,
    scales: { x: { time: false, distr: distribution(plot.xScale) }, y: { distr: distribution(plot.yScale) } },
    axes: [axis(plot.xTitle, 40), axis(plot.yTitle, 60)],
    series: [
      { label: plot.xTitle, value: (_, value) => format(value) },
      ...plot.series.map(({ name }, index) => ({
        label: name,
        stroke: colour(`--series-${(index % COLOURS) + 1}`),
        dash: index < COLOURS ? [] : [6, 4],
        width: 2,
        points: { fill: colour('--panel') },
        value: (_, value) => format(value),
      })),
    ],
  };
  box.replaceChildren();
  new uPlot(options, joined(plot), box);
}

const boxes = [...document.querySelectorAll('figure[data-plot] .plot')];

// A box within closed details has no width until they open.
const drawn = new Map();
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.clientWidth === 0 || target.clientWidth === drawn.get(target)) continue;
    drawn.set(target, target.clientWidth);
    // Deferred, because drawing resizes the observed box.
    requestAnimationFrame(() => draw(target, target.clientWidth));
  }
});
for (const box of boxes) observer.observe(box);

function redraw(width) {
  for (const box of drawn.keys()) draw(box, width ?? box.clientWidth);
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraw());
addEventListener('beforeprint', () => {
  document.documentElement.classList.add('printing');
  redraw(PRINT_WIDTH);
});
addEventListener('afterprint', () => {
  document.documentElement.classList.remove('printing');
  redraw();
});

function row(kind, cells) {
  const line = document.createElement('tr');
  for (const text of cells) {
    const cell = document.createElement(kind);
    cell.textContent = text;
    if (kind === 'th') cell.scope = 'col';
    line.append(cell);
  }
  return line;
}

for (const figure of document.querySelectorAll('figure[data-plot]')) {
  const plot = plots[figure.dataset.plot];
  const list = () => {
    const table = document.createElement('table');
    table.createTHead().append(row('th', [plot.xTitle, ...plot.series.map(({ name }) => name)]));
    const columns = joined(plot);
    const cells = (index) => columns.map((column) => exact(column[index]));
    table.createTBody().append(...columns[0].map((_, index) => row('td', cells(index))));
    figure.querySelector('.numbers').append(table);
  };
  figure.querySelector('details').addEventListener('toggle', list, { once: true });
}
