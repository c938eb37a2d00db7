"""The page of a profile in headless Chromium: it draws itself, its figures are those of the JSON, and its controls work.
Exits with 77 where there is no Chromium."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

OSHRUN = os.environ["WEFT_TEST_OSHRUN"]
PROGRAMS = os.environ["WEFT_TEST_PROGRAMS"]
CHROMIUM = os.environ.get("WEFT_TEST_CHROMIUM", "")

# What a person would do, one after another; then the page looks at itself again.
HANDS = """<script>
for (let k = 0; k < 12; ++k) line.zoom(0.5, data.seconds * 0.9);
line.about(line.left + 30, 3);
line.move(0, data.seconds);
for (const what of ['put', 'get', 'atomic', 'late']) {
  $('matrix-what').value = what;
  $('matrix-what').dispatchEvent(new Event('change'));
  for (const unit of [...$('matrix-unit').options].map(option => option.value)) {
    $('matrix-unit').value = unit;
    $('matrix-unit').dispatchEvent(new Event('change'));
    document.documentElement.setAttribute(`data-${what}-${unit}`, document.documentElement.dataset.matrix);
  }
}
for (const unit of ['bytes', 'seconds', 'count']) {
  $('sizes-unit').value = unit;
  $('sizes-unit').dispatchEvent(new Event('change'));
}
for (const head of document.querySelectorAll('th')) head.click();
$('site-filter').value = 'long_get';
$('site-filter').dispatchEvent(new Event('input'));
document.documentElement.dataset.filtered = $('site-table').tBodies[0].rows.length;
$('site-filter').value = '';
$('site-filter').dispatchEvent(new Event('input'));
$('matrix-what').value = 'all';
$('matrix-what').dispatchEvent(new Event('change'));
$('matrix-unit').value = 'bytes';
$('matrix-unit').dispatchEvent(new Event('change'));
check();
document.documentElement.dataset.hands = 'done';
</script></body>"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="weft-page-test-")
        cls.addClassCleanup(cls.place.cleanup)
        cls.pages = {n: cls.record(n) for n in (1, 7)}

    @classmethod
    def record(cls, n, program="profile_known"):
        folder = os.path.join(cls.place.name, f"{program}.{n}")
        subprocess.run([OSHRUN, "-n", str(n), os.path.join(PROGRAMS, program)],
                       env={**os.environ, "WEFT_PROFILE": folder}, check=True, capture_output=True, timeout=120)
        with open(os.path.join(folder, "profile.html"), encoding="utf-8") as file:
            return file.read()

    def drawn(self, page):
        """The attributes of the document, when its scripts have run."""
        path = os.path.join(self.place.name, "page.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                               f"--user-data-dir={self.place.name}/user", "--virtual-time-budget=5000", "--dump-dom",
                               "file://" + path], capture_output=True, text=True, check=False, timeout=100)
        found = re.search(r"<html[^>]*>", done.stdout)
        self.assertIsNotNone(found, done.stderr)
        return dict(re.findall(r'([\w-]+)="([^"]*)"', found.group()))

    def test_draws_itself_and_finds_its_figures_right(self):
        for n, page in self.pages.items():
            with self.subTest(n=n):
                self.assertEqual(self.drawn(page).get("data-check"), "ok")

    def test_windows(self):
        page = self.record(3, "profile_windows_known")
        self.assertEqual(self.drawn(page).get("data-check"), "ok")
        wrong, changed = re.subn(r'("put":\[\[\d+,\d+,5,)320', r"\g<1>321", page, count=1)
        self.assertEqual(changed, 1)
        self.assertIn("bytes of windows, put", self.drawn(wrong).get("data-check", ""))

    def test_sees_figures_that_do_not_agree(self):
        page = self.pages[1]
        wrong, changed = re.subn(r'("name":"shmem_long_p"[^}]*?"count":)10', r"\g<1>11", page, count=1)
        self.assertEqual(changed, 1)
        self.assertIn("shmem_long_p", self.drawn(wrong).get("data-check", ""))

    def test_its_controls_work(self):
        page = self.pages[7].replace("</body>", HANDS)
        seen = self.drawn(page)
        self.assertEqual(seen.get("data-hands"), "done")
        self.assertEqual(seen.get("data-check"), "ok")
        self.assertEqual(seen.get("data-filtered"), "1")
        self.assertEqual(seen.get("data-get-bytes"), str(7 * 80080))
        self.assertEqual(seen.get("data-atomic-count"), str(7 * 11))


if __name__ == "__main__":
    if not CHROMIUM:
        print("no Chromium here")
        sys.exit(77)
    sys.exit(unittest.main(verbosity=2))
