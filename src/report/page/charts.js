/* Bars of each PE's time. */
function drawBars() {
  const box = $('bars');
  const pes = data.pes;
  const thin = pes.length > 32;
  const row = thin ? 9 : pes.length > 16 ? 14 : 20, gap = thin ? 1 : 4, left = 58;
  const right = thin ? 10 : 96;
  const width = Math.max(360, box.clientWidth || 1100), room = width - left - right;
  const longest = Math.max(...pes.map(pe => pe.seconds), 1e-9);
  const step = labelStep(pes.length, row + gap, 13);
  const svg = node('svg', {width, height: pes.length * (row + gap) + 4, role: 'img', 'aria-label': 'time of each PE'});
  pes.forEach((pe, k) => {
    const y = k * (row + gap) + 2;
    if (k % step === 0) {
      svg.append(node('text', {x: left - 8, y: y + row / 2 + 4, 'text-anchor': 'end'}, 'PE ' + pe.pe));
    }
    let x = left;
    const add = (length, fill, text) => {
      const wide = length / longest * room;
      if (wide <= 0) return;
      const rect = node('rect', {x, y, width: wide, height: row, fill});
      rect.addEventListener('pointermove', event => tip.show(event, text));
      rect.addEventListener('pointerleave', tip.hide);
      svg.append(rect);
      x += wide;
    };
    for (const [kind, label] of KINDS) {
      const spent = pe.kinds[kind] || 0;
      add(spent, `var(--${kind})`, `PE ${pe.pe}: ${label}\n${seconds(spent)}, ${percent(spent, pe.seconds)} of its time`);
    }
    add(pe.elsewhere, 'var(--empty)',
        `PE ${pe.pe}: not in Weft\n${seconds(pe.elsewhere)}, ${percent(pe.elsewhere, pe.seconds)} of its time`);
    if (!thin) {
      svg.append(node('text', {x: left + room + 8, y: y + row / 2 + 4, class: 'value'},
                      `${percent(pe.waiting, pe.seconds)} waiting`));
    }
  });
  box.replaceChildren(svg);
}

function drawLegend() {
  const there = KINDS.filter(([kind]) => data.pes.some(pe => (pe.kinds[kind] || 0) > 0));
  const entries = there.map(([kind, label]) => node('span', {style: `--swatch: var(--${kind})`}, label));
  $('kinds').replaceChildren(...entries, node('span', {style: '--swatch: var(--empty)'}, 'not in Weft'));
}

/* The time line: bins from afar, single waits from near. */
const line = {
  from: 0, to: data.seconds || 1e-9, left: 58, top: 6, axis: 24,

  rowHeight() { return Math.max(5, Math.min(24, Math.floor(560 / data.pes.length))); },
  width() { return Math.max(420, $('line').clientWidth - 38); },
  x(time) { return this.left + (time - this.from) / (this.to - this.from) * (this.width() - this.left - 8); },
  time(x) { return this.from + (x - this.left) / (this.width() - this.left - 8) * (this.to - this.from); },

  waitsOf(pe) {
    if (!this.byPe) {
      this.byPe = data.pes.map(() => []);
      for (const wait of data.waits) this.byPe[wait[0]].push(wait);
      for (const list of this.byPe) list.sort((a, b) => a[1] - b[1]);
    }
    return this.byPe[pe];
  },

  draw() {
    const row = this.rowHeight(), width = this.width(), n = data.pes.length;
    const pen = sized($('line-canvas'), width, this.top + n * row + this.axis);
    const colours = Object.fromEntries(KINDS.map(([kind]) => [kind, colour(kind)]));
    const empty = colour('empty'), quiet = colour('quiet'), rule = colour('rule'), card = colour('card');
    const gap = row > 9 ? 3 : 1;
    const bin = data.time_line.bin_seconds;
    const first = Math.max(0, Math.floor(this.from / bin)), last = Math.ceil(this.to / bin);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, 0, width - this.left - 8, this.top + n * row);
    pen.clip();
    data.time_line.pes.forEach((lane, pe) => {
      const y = this.top + pe * row, high = row - gap;
      const begin = this.x(data.pes[pe].begin), end = this.x(Math.min(data.seconds, data.pes[pe].begin + this.life(pe)));
      pen.fillStyle = empty;
      pen.fillRect(begin, y, end - begin, high);
      for (let k = first; k < last; ++k) {
        let filled = 0;
        const x = this.x(k * bin), wide = this.x((k + 1) * bin) - x + 0.4;
        for (const [kind] of KINDS) {
          const share = lane[kind] ? (lane[kind][k] || 0) / 1000 : 0;
          if (share === 0) continue;
          pen.fillStyle = colours[kind];
          pen.fillRect(x, y + filled * high, wide, share * high);
          filled += share;
        }
      }
      for (const [, at, length, site] of this.waitsOf(pe)) {
        if (at + length < this.from || at > this.to) continue;
        const wide = this.x(at + length) - this.x(at);
        if (wide < 3) continue;
        pen.fillStyle = colours[data.sites[site].kind];
        pen.fillRect(this.x(at), y, wide, high);
        if (wide < 12) continue;
        pen.strokeStyle = card;
        pen.strokeRect(this.x(at) + 0.5, y + 0.5, wide - 1, high - 1);
      }
    });
    pen.restore();
    pen.fillStyle = quiet;
    pen.textAlign = 'right';
    const step = labelStep(n, row, 13);
    for (let pe = 0; pe < n; pe += step) pen.fillText('PE ' + pe, this.left - 8, this.top + pe * row + (row - gap) / 2 + 0.5);
    this.drawAxis(pen, this.top + n * row, width, quiet, rule);
    $('line-range').textContent = `${seconds(this.to - this.from)} from ${this.from > 0 ? moment(this.from, (this.to - this.from) / 100) : 'the start'}`;
  },

  /* Threads make the sum longer than the run. */
  life(pe) { return data.pes[pe].seconds / Math.max(1, data.pes[pe].threads); },

  drawAxis(pen, y, width, quiet, rule) {
    const step = niceStep(this.to - this.from, 8);
    pen.strokeStyle = rule;
    pen.textAlign = 'center';
    pen.fillStyle = quiet;
    for (let k = Math.ceil(this.from / step); k * step <= this.to; ++k) {
      const x = this.x(k * step);
      if (x > width - 24) break;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x, y + 5);
      pen.stroke();
      pen.fillText(moment(k * step, step), x, y + 14);
    }
  },

  zoom(factor, centre) {
    const middle = centre === undefined ? (this.from + this.to) / 2 : centre;
    const length = Math.min(data.seconds || 1e-9, Math.max(1e-7, (this.to - this.from) * factor));
    this.move(middle - (middle - this.from) / (this.to - this.from) * length, length);
  },
  move(from, length) {
    this.from = Math.max(0, Math.min(from, (data.seconds || 1e-9) - length));
    this.to = this.from + length;
    this.draw();
  },

  about(x, y) {
    const pe = Math.floor((y - this.top) / this.rowHeight());
    if (pe < 0 || pe >= data.pes.length || x < this.left) return '';
    const time = this.time(x), slack = (this.to - this.from) / this.width() * 2;
    const here = this.waitsOf(pe).filter(([, at, length]) => time >= at - slack && time <= at + length + slack);
    const when = `PE ${pe} at ${moment(time, (this.to - this.from) / 500)}`;
    if (here.length > 0) {
      const [, , length, site, late] = here.reduce((a, b) => (b[2] > a[2] ? b : a));
      const place = data.sites[site];
      const who = late >= 0 ? `\n${late === pe ? 'this PE' : 'PE ' + late} came last` : '';
      return `${when}\n${place.routine}, ${seconds(length)}\n${place.where}${who}`;
    }
    const lane = data.time_line.pes[pe], k = Math.floor(time / data.time_line.bin_seconds);
    const parts = KINDS.filter(([kind]) => lane[kind] && lane[kind][k] > 0)
      .map(([kind, label]) => `${label} ${percent(lane[kind][k], 1000)}`);
    return when + '\n' + (parts.length > 0 ? parts.join('\n') : 'not in Weft');
  },

  listen() {
    const canvas = $('line-canvas');
    let grip = null;
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.time(event.offsetX));
    }, {passive: false});
    canvas.addEventListener('pointerdown', event => {
      grip = {x: event.offsetX, from: this.from};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointerup', () => { grip = null; });
    canvas.addEventListener('pointermove', event => {
      if (grip) {
        const length = this.to - this.from;
        this.move(grip.from - (event.offsetX - grip.x) / (this.width() - this.left - 8) * length, length);
      }
      const text = this.about(event.offsetX, event.offsetY);
      if (text) tip.show(event, text); else tip.hide();
    });
    canvas.addEventListener('pointerleave', tip.hide);
    canvas.addEventListener('dblclick', () => this.move(0, data.seconds || 1e-9));
    $('zoom-in').addEventListener('click', () => this.zoom(0.5));
    $('zoom-out').addEventListener('click', () => this.zoom(2));
    $('zoom-all').addEventListener('click', () => this.move(0, data.seconds || 1e-9));
  }
};

/* The heat map PE by PE. */
const matrix = {
  WHAT: [['all', 'puts, gets, atomics, messages'], ['put', 'puts'], ['get', 'gets'], ['atomic', 'atomics'],
         ['send', 'messages'], ['late', 'waiting for the last'], ['late_senders', 'waiting for messages']],
  NOTES: {
    all: 'Row: the PE that calls. Column: the PE whose memory it is.',
    send: 'Row: the PE that sends. Column: the PE that receives.',
    late_senders: 'Row: the PE that waits in a receive. Column: the PE that sent later than that.',
    late: 'Row: the PE that waits. Column: the PE that came last to a barrier or collective that all have to come to.'
  },

  /* Rows of [from, to, value]. */
  cells() {
    const what = $('matrix-what').value, unit = $('matrix-unit').value;
    if (what.startsWith('late')) return data[what].map(row => [row[0], row[1], unit === 'count' ? row[2] : row[3]]);
    const kinds = what === 'all' ? ['put', 'get', 'atomic', 'send'] : [what];
    return kinds.flatMap(kind => data.pairs[kind].map(row => [row[0], row[1], unit === 'count' ? row[2] : row[3]]));
  },
  word(value) {
    const unit = $('matrix-unit').value;
    return unit === 'bytes' ? bytes(value) : unit === 'seconds' ? seconds(value) : number(value);
  },

  fill() {
    const n = data.pes.length;
    this.values = new Float64Array(n * n);
    for (const [from, to, value] of this.cells()) this.values[from * n + to] += value;
    this.most = this.values.reduce((a, b) => Math.max(a, b), 0);
  },

  draw() {
    this.fill();
    const n = data.pes.length;
    this.left = 46;
    this.top = 20;
    this.cell = Math.max(3, Math.min(34, Math.floor(560 / n)));
    const pen = sized($('matrix-canvas'), this.left + n * this.cell + 2, this.top + n * this.cell + 2);
    const gap = this.cell > 8 ? 1 : 0;
    const low = parse(colour('heat-low')), high = parse(colour('heat-high')), empty = colour('empty');
    for (let from = 0; from < n; ++from) {
      for (let to = 0; to < n; ++to) {
        const value = this.values[from * n + to];
        pen.fillStyle = value > 0 ? mix(low, high, value / this.most) : empty;
        pen.fillRect(this.left + to * this.cell, this.top + from * this.cell, this.cell - gap, this.cell - gap);
      }
    }
    pen.fillStyle = colour('quiet');
    const step = labelStep(n, this.cell, 22);
    for (let pe = 0; pe < n; pe += step) {
      pen.textAlign = 'right';
      pen.fillText(pe, this.left - 6, this.top + (pe + 0.5) * this.cell);
      pen.textAlign = 'center';
      pen.fillText(pe, this.left + (pe + 0.5) * this.cell, this.top / 2);
    }
    const total = sum(Array.from(this.values));
    $('matrix-total').textContent = total > 0 ? this.word(total) + ' in all' : 'none in this run';
    $('matrix-note').textContent = this.NOTES[$('matrix-what').value] || this.NOTES.all;
    const ramp = node('div', {class: 'ramp',
      style: 'background: linear-gradient(to top, var(--heat-low), var(--heat-high))'});
    $('matrix-scale').replaceChildren(this.most > 0 ? this.word(this.most) : '', ramp, '0');
    document.documentElement.dataset.matrix = String(total);
  },

  units() {
    const late = $('matrix-what').value.startsWith('late');
    const before = $('matrix-unit').value;
    const list = late ? [['seconds', 'time'], ['count', 'times']] : [['bytes', 'bytes'], ['count', 'calls']];
    $('matrix-unit').replaceChildren(...list.map(([value, label]) => node('option', {value}, label)));
    if (list.some(([value]) => value === before)) $('matrix-unit').value = before;
  },

  listen() {
    $('matrix-what').replaceChildren(...this.WHAT.map(([value, label]) => node('option', {value}, label)));
    this.units();
    $('matrix-what').addEventListener('change', () => { this.units(); this.draw(); });
    $('matrix-unit').addEventListener('change', () => this.draw());
    const canvas = $('matrix-canvas');
    canvas.addEventListener('pointermove', event => {
      const n = data.pes.length;
      const to = Math.floor((event.offsetX - this.left) / this.cell);
      const from = Math.floor((event.offsetY - this.top) / this.cell);
      if (from < 0 || to < 0 || from >= n || to >= n) return tip.hide();
      const late = $('matrix-what').value.startsWith('late');
      tip.show(event, `PE ${from} ${late ? 'waited for' : 'with'} PE ${to}\n${this.word(this.values[from * n + to])}`);
    });
    canvas.addEventListener('pointerleave', tip.hide);
  }
};

function parse(text) { return [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16)); }
/* The root spreads the small values, which a few large ones would drown. */
function mix(low, high, share) {
  const t = Math.sqrt(share);
  return 'rgb(' + low.map((value, k) => Math.round(value + (high[k] - value) * t)).join(' ') + ')';
}

/* How many calls, bytes or seconds by size, for each kind that moves data. */
function drawSizes() {
  const unit = $('sizes-unit').value;
  const word = unit === 'bytes' ? bytes : unit === 'seconds' ? seconds : number;
  const drawn = [];
  const shown_sizes = [['put', 'puts'], ['get', 'gets'], ['atomic', 'atomics'], ['send', 'messages sent'],
    ['collective', 'collectives']].map(([kind, label]) => [kind, label, data.sizes[kind]]);
  const ways = unit === 'seconds' ? [] : Object.entries(data.ways).map(([way, classes]) => ['send', 'messages come by ' + way, classes]);
  for (const [kind, label, classes] of [...shown_sizes, ...ways]) {
    if (classes.length === 0) continue;
    const first = classIndex(classes[0]), last = classIndex(classes[classes.length - 1]);
    const shown = last - first + 1, wide = Math.max(26, Math.min(64, Math.floor(1000 / shown)));
    const high = 120, most = Math.max(...classes.map(one => one[unit]), 1e-12);
    const svg = node('svg', {width: shown * wide + 60, height: high + 44, role: 'img', 'aria-label': label + ' by size'});
    for (const one of classes) {
      const x = 8 + (classIndex(one) - first) * wide;
      const tall = Math.max(one[unit] > 0 ? 1.5 : 0, one[unit] / most * high);
      const rect = node('rect', {x: x + 2, y: 18 + high - tall, width: wide - 4, height: tall, fill: `var(--${kind})`});
      const range = one.from === one.to ? bytes(one.from) : `${bytes(one.from)} to ${bytes(one.to)}`;
      rect.addEventListener('pointermove', event => tip.show(event,
        `${range}\n${plural(one.count, 'call')}, ${bytes(one.bytes)}, ${seconds(one.seconds)}`));
      rect.addEventListener('pointerleave', tip.hide);
      svg.append(rect);
      if (one[unit] === most) {
        svg.append(node('text', {x: x + wide / 2, y: 12, 'text-anchor': 'middle', class: 'value'}, word(one[unit])));
      }
    }
    const every = labelStep(shown, wide, 52);
    for (let k = 0; k < shown; k += every) {
      const from = first + k === 0 ? 0 : Math.pow(2, first + k - 1);
      svg.append(node('text', {x: 8 + (k + 0.5) * wide, y: high + 34, 'text-anchor': 'middle'}, bytes(from)));
    }
    svg.append(node('line', {x1: 8, x2: 8 + shown * wide, y1: high + 18.5, y2: high + 18.5, stroke: 'var(--rule)'}));
    const total = sum(classes.map(one => one[unit]));
    drawn.push(node('div', {}, node('h3', {}, `${label}: ${word(total)}`), node('div', {class: 'scroll'}, svg)));
  }
  $('histograms').replaceChildren(...(drawn.length > 0 ? drawn : ['This run moved no data by calls of Weft.']));
}
const classIndex = one => (one.from === 0 ? 0 : Math.log2(one.from) + 1);
