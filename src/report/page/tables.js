/* Tables that sort by the column clicked. A column: title, the value to sort by, and the cell's content. */
function table(id, rows, columns, sortedBy) {
  const state = {column: sortedBy, down: true};
  const draw = () => {
    const value = columns[state.column].value;
    const order = [...rows].sort((a, b) => {
      const x = value(a), y = value(b);
      const less = typeof x === 'string' ? x.localeCompare(y) : x - y;
      return state.down ? -less : less;
    });
    const head = node('tr', {}, ...columns.map((column, k) => {
      const cell = node('th', {scope: 'col', tabindex: '0', class: column.text ? 'text' : ''}, column.title);
      if (k === state.column) cell.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
      const choose = () => {
        state.down = k === state.column ? !state.down : !column.text;
        state.column = k;
        draw();
      };
      cell.addEventListener('click', choose);
      cell.addEventListener('keydown', event => { if (event.key === 'Enter') choose(); });
      return cell;
    }));
    const body = order.map(row => node('tr', {}, ...columns.map(column =>
      node('td', {class: column.text ? 'text' : ''}, ...[column.cell ? column.cell(row) : String(column.value(row))].flat()))));
    $(id).replaceChildren(node('thead', {}, head), node('tbody', {}, ...body));
  };
  draw();
}

const allTime = sum(data.pes.map(pe => pe.seconds));
const dot = kind => node('span', {class: 'dot', style: `background: var(--${kind})`});
const share = row => [percent(row.seconds, allTime), node('span', {class: 'share-room'},
  node('span', {class: 'share', style: `width: ${Math.min(52, 52 * row.seconds / (allTime || 1))}px`}))];

const NUMBERS = [
  {title: 'calls', value: row => row.count, cell: row => number(row.count)},
  {title: 'bytes', value: row => row.bytes, cell: row => (row.bytes > 0 ? bytes(row.bytes) : '\u2013')},
  {title: 'time', value: row => row.seconds, cell: row => seconds(row.seconds)},
  {title: 'of all', value: row => row.seconds, cell: share},
  {title: 'a call', value: row => (row.count > 0 ? row.seconds / row.count : 0),
   cell: row => (row.count > 0 ? seconds(row.seconds / row.count) : '\u2013')},
  {title: 'longest', value: row => row.longest, cell: row => seconds(row.longest)}];

function drawRoutines() {
  table('routine-table', data.routines, [
    {title: 'routine', text: true, value: row => row.name, cell: row => [dot(row.kind), row.name]},
    ...NUMBERS,
    {title: 'most on PE', value: row => slowest(row.pe_seconds), cell: row => {
      const pe = slowest(row.pe_seconds);
      return `${pe}: ${seconds(row.pe_seconds[pe])}`;
    }}], 3);
}
const slowest = list => list.reduce((best, value, k) => (value > list[best] ? k : best), 0);

const MOST_SITES = 200;
function drawSites() {
  const wanted = $('site-filter').value.toLowerCase();
  const found = data.sites.filter(site => (site.where + ' ' + site.routine).toLowerCase().includes(wanted));
  table('site-table', found.slice(0, MOST_SITES), [
    {title: 'where', text: true, value: row => row.where},
    {title: 'routine', text: true, value: row => row.routine, cell: row => [dot(row.kind), row.routine]},
    ...NUMBERS,
    {title: 'PEs', value: row => row.pes},
    {title: 'most on PE', value: row => row.slowest_pe,
     cell: row => `${row.slowest_pe}: ${seconds(row.slowest_seconds)}`}], 4);
  $('site-note').textContent = found.length > MOST_SITES
    ? `The ${MOST_SITES} of ${number(found.length)} that took most time; profile.json has all.` : '';
}

function drawShared() {
  const shared = data.shared_pages;
  if (!shared) return;
  $('shared').hidden = false;
  const counts = [['read faults', 'read_faults'], ['write faults', 'write_faults'], ['fetched', 'came'], ['twins', 'twins'],
                  ['sent', 'sent'], ['dropped', 'dropped'], ['claimed', 'claimed'], ['locks', 'locks']];
  const waits = [['for pages', 'fault_seconds'], ['to order', 'order_seconds'], ['for locks', 'lock_seconds'],
                 ['barriers', 'barrier_seconds']];
  table('shared-table', shared.pes, [
    {title: 'PE', value: row => row.pe},
    ...counts.map(([title, name]) => ({title, value: row => row[name], cell: row => number(row[name])})),
    {title: 'bytes sent', value: row => row.sent_bytes, cell: row => bytes(row.sent_bytes)},
    ...waits.map(([title, name]) => ({title, value: row => row[name], cell: row => seconds(row[name])})),
    {title: 'way', text: true, value: row => row.way}], 0);
  $('shared-table').querySelector('th').click();
  table('moved-table', shared.moved, [
    {title: 'memory', text: true, value: row => row.name || '0x' + row.address.toString(16)},
    {title: 'size', value: row => row.bytes, cell: row => bytes(row.bytes)},
    {title: 'fetched', value: row => row.fetched, cell: row => number(row.fetched)},
    {title: 'sent', value: row => row.sent, cell: row => number(row.sent)},
    {title: 'most by PE', value: row => row.most_pe, cell: row => `${row.most_pe}: ${number(row.most_fetched)}`}], 2);
}

const rowsOf = (window, kind, unit) => sum(window[kind][unit].map(row => row[3]));
const MOST_PAIRS = 200;
function drawWindows() {
  if (!data.windows) return;
  $('windows').hidden = false;
  const moves = [['put', 'put'], ['got', 'get'], ['accumulated', 'accumulate']];
  const waits = [['lock', ['lock']], ['flush', ['flush']], ['unlock', ['unlock']], ['fence', ['fence']],
                 ['post, start', ['post', 'start']], ['complete, wait', ['complete', 'wait']]];
  const empty = (value, word) => (value > 0 ? word(value) : '\u2013');
  const waited = (row, names) => sum(names.map(name => rowsOf(row, 'waited', name)));
  table('window-table', data.windows, [
    {title: 'window', text: true, value: row => row.label},
    {title: 'made at', text: true, value: row => row.where},
    {title: 'by', text: true, value: row => row.made_by},
    {title: 'PEs', value: row => row.members},
    {title: 'size', value: row => row.bytes, cell: row => bytes(row.bytes)},
    ...moves.map(([title, name]) => ({title, value: row => rowsOf(row, 'moved', name),
                                      cell: row => empty(rowsOf(row, 'moved', name), bytes)})),
    ...waits.map(([title, names]) => ({title, value: row => waited(row, names), cell: row => empty(waited(row, names), seconds)}))], 8);
  const pairs = new Map();
  for (const window of data.windows) {
    for (const kind of ['moved', 'waited']) {
      for (const [name, rows] of Object.entries(window[kind])) {
        for (const [pe, target, count, value] of rows) {
          if (target < 0) continue;
          const key = `${window.number} ${pe} ${target}`;
          if (!pairs.has(key)) pairs.set(key, {label: window.label, pe, target, count: 0, put: 0, get: 0, accumulate: 0, lock: 0, flush: 0, unlock: 0});
          pairs.get(key)[name] += value;
          if (kind === 'moved') pairs.get(key).count += count;
        }
      }
    }
  }
  const weight = row => row.lock + row.flush + row.unlock;
  const found = [...pairs.values()].sort((a, b) => weight(b) - weight(a) || b.count - a.count);
  table('window-pair-table', found.slice(0, MOST_PAIRS), [
    {title: 'window', text: true, value: row => row.label},
    {title: 'PE', value: row => row.pe},
    {title: 'target', value: row => row.target},
    {title: 'calls', value: row => row.count, cell: row => number(row.count)},
    ...moves.map(([title, name]) => ({title, value: row => row[name], cell: row => empty(row[name], bytes)})),
    ...['lock', 'flush', 'unlock'].map(name => ({title: name, value: row => row[name], cell: row => empty(row[name], seconds)}))], 7);
  $('window-note').textContent = found.length > MOST_PAIRS
    ? `The ${MOST_PAIRS} of ${number(found.length)} pairs that took most time; profile.json has all.` : '';
}

const ENDS = {finalized: 'shmem_finalize', exited: 'exit without finalize', killed: 'was ended', unknown: 'no recording'};
function drawPes() {
  table('pe-table', data.pes, [
    {title: 'PE', value: row => row.pe},
    {title: 'time', value: row => row.seconds, cell: row => seconds(row.seconds)},
    {title: 'in Weft', value: row => row.in_weft, cell: row => percent(row.in_weft, row.seconds)},
    {title: 'waiting', value: row => row.waiting, cell: row => percent(row.waiting, row.seconds)},
    {title: 'elsewhere', value: row => row.elsewhere, cell: row => percent(row.elsewhere, row.seconds)},
    {title: 'came last', value: row => row.times_last, cell: row => `${number(row.times_last)} of ${number(row.meetings)}`},
    {title: 'heap, peak', value: row => row.heap_peak, cell: row => bytes(row.heap_peak)},
    {title: 'threads', value: row => row.threads},
    {title: 'end', text: true, value: row => row.end, cell: row => ENDS[row.end] + (row.killed_in
      ? `, after ${seconds(row.killed_in.seconds)} in ${data.sites[row.killed_in.site].routine} (${data.sites[row.killed_in.site].where})` : '')}], 0);
  $('pe-table').querySelector('th').click();  // by number, upwards
}
