'use strict';
/* What all parts use: the data, numbers as words, colours, the tip under the pointer. */
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const sum = list => list.reduce((a, b) => a + b, 0);

const KINDS = [
  ['put', 'put'], ['get', 'get'], ['atomic', 'atomic'], ['send', 'send'], ['order', 'fence, quiet'], ['barrier', 'barrier'],
  ['collective', 'collective'], ['wait', 'wait, receive'], ['lock', 'lock'], ['setup', 'set-up, memory, teams'],
  ['query', 'query, test']];
const WAITING = ['barrier', 'collective', 'wait', 'lock', 'setup'];

const style = () => getComputedStyle(document.documentElement);
const colour = name => style().getPropertyValue('--' + name).trim();

function digits(value) { return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0); }
function seconds(value) {
  if (value <= 0) return '0';
  for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['\u00b5s', 1e-6]]) {
    if (value >= 0.9995 * size) return digits(value / size) + '\u202f' + unit;
  }
  return digits(value * 1e9) + '\u202fns';
}
/* A moment so exactly that others this far apart look different. */
function moment(value, apart) {
  if (value <= 0) return '0';
  const [unit, size] = [['s', 1], ['ms', 1e-3], ['\u00b5s', 1e-6]].find(([, each]) => value >= 0.9995 * each) || ['ns', 1e-9];
  return (value / size).toFixed(Math.max(0, Math.ceil(-Math.log10(apart / size) - 1e-6))) + '\u202f' + unit;
}
function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) { value /= 1024; ++unit; }
  return (unit === 0 ? value : digits(value)) + '\u202f' + units[unit];
}
const number = value => value.toLocaleString('en-US');
const percent = (part, whole) => {
  const share = whole > 0 ? 100 * part / whole : 0;
  return (share > 0 && share < 0.5 ? '<1' : Math.round(share)) + '\u202f%';
};
const plural = (count, one) => number(count) + ' ' + one + (count === 1 ? '' : 's');

function node(name, attributes = {}, ...children) {
  const svg = ['svg', 'rect', 'text', 'line', 'g', 'title'].includes(name);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const tip = {
  show(event, text) {
    const box = $('tip');
    box.textContent = text;
    box.hidden = false;
    const width = box.offsetWidth, height = box.offsetHeight;
    box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + 'px';
    box.style.top = (event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18) + 'px';
  },
  hide() { $('tip').hidden = true; }
};

/* A canvas of this size in the page's units, sharp on any screen. */
function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'middle';
  return pen;
}

/* Every how many PEs a number fits beside rows of this height. */
function labelStep(count, space, room) {
  for (const step of [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000]) {
    if (step * space >= room) return step;
  }
  return count;
}

/* Round distances for the marks of a scale. */
function niceStep(length, most) {
  const rough = length / most;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough) return factor * power;
  return 10 * power;
}
