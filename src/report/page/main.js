function drawHead() {
  const name = data.program.split('/').pop();
  document.title = `${name}: Weft profile`;
  $('title').textContent = name;
  const when = new Date(data.started_at * 1000).toISOString().replace('T', ' ').slice(0, 16) + ' UTC';
  const peak = Math.max(...data.pes.map(pe => pe.heap_peak));
  const busy = sum(data.pes.map(pe => pe.in_weft)), waiting = sum(data.pes.map(pe => pe.waiting));
  $('about').textContent = `${plural(data.n_pes, 'PE')}, ${seconds(data.seconds)}; ${percent(busy, allTime)} of the time in ` +
    `Weft, ${percent(waiting, allTime)} waiting; symmetric heap up to ${bytes(peak)} a PE. ${data.host}, ${when}.`;
  $('hints').replaceChildren(...data.hints.map(hint => node('li', {}, hint)));
  $('foot').textContent = `Weft ${data.weft}. Times by ${data.clock === 'tsc' ? 'the time stamp counter' : 'CLOCK_MONOTONIC'}; ` +
    'a call counts some ten nanoseconds of the profiler itself. The figures are in profile.json beside this page.';
}

/* The page looks at itself: what it shows must be what the data says. Tests read the outcome. */
function check() {
  const wrong = [];
  const equal = (what, shown, meant) => { if (shown !== meant) wrong.push(`${what}: ${shown}, not ${meant}`); };
  const near = (what, a, b) => { if (Math.abs(a - b) > 1e-6 * Math.max(1, Math.abs(a), Math.abs(b))) wrong.push(`${what}: ${a}, not ${b}`); };
  equal('rows of routines', $('routine-table').tBodies[0].rows.length, data.routines.length);
  equal('rows of sites', $('site-table').tBodies[0].rows.length, Math.min(MOST_SITES, data.sites.length));
  equal('rows of PEs', $('pe-table').tBodies[0].rows.length, data.n_pes);
  equal('calls shown', sum([...$('routine-table').tBodies[0].rows].map(row => Number(row.cells[1].textContent.replaceAll(',', '')))),
        sum(data.routines.map(routine => routine.count)));
  equal('calls of sites', sum(data.sites.map(site => site.count)), sum(data.routines.map(routine => routine.count)));
  equal('bytes in the matrix', Number(document.documentElement.dataset.matrix),
        sum(['put', 'get', 'atomic', 'send'].map(kind => sum(data.pairs[kind].map(row => row[3])))));
  if (data.shared_pages) {
    const {pes, fetched, moved} = data.shared_pages;
    equal('rows of shared pages', $('shared-table').tBodies[0].rows.length, pes.length);
    equal('rows of memory that moved', $('moved-table').tBodies[0].rows.length, moved.length);
    equal('pages that came', sum(pes.map(pe => pe.came)), sum(fetched.map(row => row[2])));
  }
  if (data.windows) {
    equal('rows of windows', $('window-table').tBodies[0].rows.length, data.windows.length);
    // OpenSHMEM's have none.
    if (!data.routines.some(routine => routine.name.startsWith('shmem_'))) {
      for (const [name, kind] of [['put', 'put'], ['get', 'get'], ['accumulate', 'atomic']]) {
        equal('bytes of windows, ' + name, sum(data.windows.map(window => rowsOf(window, 'moved', name))),
              sum(data.pairs[kind].map(row => row[3])));
      }
    }
  }
  for (const routine of data.routines) {
    equal('calls of ' + routine.name, sum(routine.pe_counts), routine.count);
    near('time of ' + routine.name, sum(routine.pe_seconds), routine.seconds);
  }
  for (const pe of data.pes) {
    near(`time of PE ${pe.pe}`, sum(Object.values(pe.kinds)), pe.in_weft);
    near(`waiting of PE ${pe.pe}`, sum(WAITING.map(kind => pe.kinds[kind] || 0)), pe.waiting);
  }
  document.documentElement.dataset.check = wrong.length === 0 ? 'ok' : wrong.join('; ');
}

function drawAll() {
  drawBars();
  line.draw();
  matrix.draw();
  drawSizes();
}

drawHead();
drawLegend();
$('sizes-unit').replaceChildren(...[['count', 'calls'], ['bytes', 'bytes'], ['seconds', 'time']].map(
  ([value, label]) => node('option', {value}, label)));
$('sizes-unit').addEventListener('change', drawSizes);
$('site-filter').addEventListener('input', drawSites);
line.listen();
matrix.listen();
drawAll();
drawRoutines();
drawSites();
drawShared();
drawWindows();
drawPes();
check();
let later = 0;
addEventListener('resize', () => { clearTimeout(later); later = setTimeout(drawAll, 100); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
