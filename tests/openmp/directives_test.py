"""Sources with directives of data mapping, by the wrappers: compilers see calls in their place, people see their own sources, and
what is wrong ends the compilation or the start with file and line."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv.pop(1))
HAS_FORTRAN = subprocess.run(["which", "gfortran"], capture_output=True, check=False).returncode == 0
HAS_CLANG = subprocess.run("clang -fopenmp -include omp.h -x c -fsyntax-only /dev/null", shell=True, capture_output=True,
                           check=False).returncode == 0

C = """#include <stdio.h>
#include <stdlib.h>
#include "size.h"
double u[N][N], v[N][N];
#pragma omni mapping(u[block][*])   /* by rows */
#pragma weft mapping(v[i][*] like \\
                     u[i][*])
static double w[N];
/*
#pragma omni mapping(none[block])
*/
const char *text = "/* not a comment";
static void step(double *p) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      u[i][j] += i + j;
      v[i][j] += u[i][j];
      p[i * N + j] += 1;
    }
  }
}
int main(void) {
  double sum = 0, *p = (double *)malloc(sizeof *p * N * N);
#pragma omni mapping(p[N * N: block])
  for (int i = 0; i < N * N; i++) p[i] = i;
  for (int round = 0; round < 10; round++) step(p);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) sum += u[i][j] + v[i][j] + p[i * N + j] + w[i];
  }
  printf("%.10g at %s:%d\\n", sum, __FILE__, __LINE__);
  free(p);
  return 0;
}
"""
FORTRAN = """module fields
  implicit none
  integer, parameter :: n = 512
  real(8) :: u(n, n)
  type pair
    real(8) :: a
  end type pair
contains
  pure integer function twice(i)
    integer, intent(in) :: i
    twice = 2 * i
  end function twice
end module fields

program mapped
  use fields
  implicit none
  integer :: i, j, k
  real(8) :: v(n, n)
  real(8), allocatable :: p(:, :)
  common /forces/ v
  !$omni mapping(u(*, block), &
  !$omni&        v(*, j) like u(*, j))
  type, extends(pair) :: triple
    real(8) :: b
  contains
  end type triple
  interface
    subroutine nothing(x)
      real(8) :: x
    end subroutine nothing
  end interface
  !$omp parallel do
  do j = 1, n
    u(:, j) = j
  end do
  v = 0
  allocate(p(n, n))
  !$weft mapping(p(*, block))
  p = 1
  do k = 1, 10
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        u(i, j) = u(i, j) + i
        v(i, j) = v(i, j) + u(i, j)
        p(i, j) = p(i, j) + twice(i)
      end do
    end do
  end do
  block
    real(8), save :: w(n)
    !$omni mapping(w(cyclic(512)))
    w = 0
  end block
  print '(f0.1)', sum(u) + sum(v) + sum(p)
end program mapped
"""
FIXED = """      program mapped
      implicit none
      integer n, i, j, k
      parameter (n = 512)
      double precision u(n, n)
      common /fields/ u
C$OMNI MAPPING(U(*, BLOCK))
      u = 1
      do 20 k = 1, 10
!$omp parallel do private(i)
        do 10 j = 1, n
          do 15 i = 1, n
            u(i, j) = u(i, j)
     &              + i * j
   15     continue
   10   continue
   20 continue
      print '(f0.1)', sum(u)
      end
"""

AFFINE = """#include <stdio.h>
enum { N = 600, M = 300 };
double u[N][M], v[N][M];
long count[N];
#pragma omni mapping(u[cyclic(40)][*], v[i][*] like u[i][*])
static void step(int up) {
  if (up) {
#pragma omni affinity(u[i][*])
#pragma omp for
    for (int i = 1; i < N; i += 1) {
      count[i]++;
      for (int j = 0; j < M; j++) u[i][j] += v[i][j] + i;
    }
  } else {
#pragma omp for schedule(affinity, v[k][*]) \\
    nowait
    for (long k = N - 1; k >= 0; k = k - 1) {
      count[k]++;
      for (int j = 0; j < M; j++) v[k][j] += j;
    }
#pragma omp barrier
  }
}
int main(void) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) u[i][j] = v[i][j] = i * j % 7;
  }
#pragma omp parallel
  for (int round = 0; round < 20; round++) step(round % 2);
#pragma omp parallel for reduction(+ : sum) schedule(affinity, u[i][*])
  for (int i = 0; i < N; i += 3) {
    for (int j = 0; j < M; j++) sum += u[i][j] + v[i][j] + count[i];
  }
#pragma omni affinity(count[i])
#pragma omp parallel for
  for (int i = 0; i < N; i++) count[i] = -1;
  for (int i = 0; i < N; i++) sum += count[i];
  printf("%.10g at %d\\n", sum, __LINE__);
  return 0;
}
"""
AFFINE_FORTRAN = """program affine
  implicit none
  integer, parameter :: n = 300, m = 600
  integer :: i, j, k
  real(8) :: u(n, 0:m - 1), v(n, m), total
  common /fields/ u, v
  !$omni mapping(u(*, cyclic(40)), v(*, j) like u(*, j))
  do j = 1, m
    u(:, j - 1) = mod(j, 7)
    v(:, j) = j
  end do
  do k = 1, 10
    !$omni affinity(u(*, j))
    !$omp parallel do private(i)
    do j = 0, m - 1
      do i = 1, n
        u(i, j) = u(i, j) + v(i, j + 1)
      end do
    end do
    !$omp parallel private(i)
    call step
    !$omp end parallel
  end do
  total = 0
  !$omp parallel do reduction(+: total) &
  !$omp schedule(affinity, v(*, j))
  do j = 1, m
    total = total + sum(u(:, j - 1)) + sum(v(:, j))
  end do
  print '(f0.1)', total
contains
  subroutine step
    integer :: i, j
    !$omp do schedule(affinity, v(*, j))
    do j = m, 1, -3
      do i = 1, n
        v(i, j) = v(i, j) + i
      end do
    end do
  end subroutine step
end program affine
"""


class Directives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tmp").mkdir()
        (self.folder / "src dir").mkdir()
        (self.folder / "src").mkdir()
        for folder in ("src", "src dir"):
            (self.folder / folder / "size.h").write_text("enum { N = 512 };\n")

    def tearDown(self):
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def run_it(self, *words, **more):
        clean = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX", "FC")}
        clean |= {"TMPDIR": str(self.folder / "tmp"), "LC_ALL": "C"} | more
        return subprocess.run([str(word) for word in words], cwd=self.folder, env=clean, capture_output=True, text=True, timeout=120,
                              check=False)

    def compile(self, *words, wrapper="weft-ompcc", **more):
        built = self.run_it(BIN / wrapper, *words, **more)
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        return built.stdout

    def has_mappings(self, program):
        return b"weft_omp_maps" in (self.folder / program).read_bytes()

    def refused(self, text, *lines, name="src/a.c", wrapper="weft-ompcc"):
        built = self.run_it(BIN / wrapper, "-c", self.write(name, text))
        self.assertNotEqual(built.returncode, 0, built.stderr)
        for line in lines:
            self.assertRegex(built.stderr, "(?m)^" + line)

    def sent(self, run):
        self.assertEqual(run.returncode, 0, run.stderr)
        return sum(int(number) for number in re.findall(r"(\d+) pages whose changes went home", run.stderr))

    def runs(self, program, plain):
        """The same result as `plain`'s, and less is sent home."""
        wanted = self.run_it(plain).stdout
        self.assertEqual(self.run_it(program).stdout, wanted)
        for processes in (2, 3):
            shape = {"WEFT_SHARED_BY": "pages", "WEFT_SHARED_STATS": "1", "WEFT_SHARED_HOMES": "first",
                     "OMP_NUM_THREADS": str(2 * processes)}
            mapped = self.run_it(BIN / "oshrun", "-n", processes, program, **shape)
            before = self.run_it(BIN / "oshrun", "-n", processes, plain, **shape)
            self.assertEqual({mapped.stdout, before.stdout}, {wanted}, mapped.stderr)
            self.assertLess(self.sent(mapped), self.sent(before) // 2)

    def test_c(self):
        self.write("src/a.c", C)
        self.run_it("gcc", "-O2", "-fopenmp", "src/a.c", "-o", "plain")
        self.compile("-Wall", "-Wextra", "-O2", "src/a.c", "-o", "prog")
        self.runs("./prog", "./plain")

    def test_cxx(self):
        self.write("src/a.cpp", C)
        self.run_it("g++", "-O2", "-fopenmp", "src/a.cpp", "-o", "plain")
        self.compile("-Wall", "-Wextra", "-O2", "src/a.cpp", "-o", "prog", wrapper="weft-omp++")
        self.runs("./prog", "./plain")

    @unittest.skipUnless(HAS_CLANG, "no clang with OpenMP")
    def test_clang(self):
        self.write("src/a.c", C)
        self.run_it("clang", "-O2", "-fopenmp", "src/a.c", "-o", "plain")
        self.compile("-Wall", "-Wextra", "-O2", "src/a.c", "-o", "prog", WEFT_CC="clang")
        self.runs("./prog", "./plain")

    @unittest.skipUnless(HAS_FORTRAN, "no gfortran")
    def test_fortran(self):
        for name, text in (("src/a.f90", FORTRAN), ("src/b.f", FIXED)):
            self.write(name, text)
            self.run_it("gfortran", "-O2", "-fopenmp", name, "-o", "plain")
            self.compile("-Wall", "-Wno-unused-dummy-argument", "-fimplicit-none", "-O2", name, "-o", "prog", wrapper="weft-ompfort")
            for module in self.folder.glob("**/*.mod"):
                module.unlink()
            self.runs("./prog", "./plain")

    def test_affinity(self):
        self.write("src/a.c", AFFINE)
        plain = re.sub(r"(#pragma omni.*|schedule\(affinity.*\))", "", AFFINE).replace("__LINE__", str(AFFINE[:AFFINE.index("__LINE__")].count("\n") + 1))
        self.write("src/plain.c", plain)
        for compiler in ("gcc", "clang") if HAS_CLANG else ("gcc",):
            self.run_it(compiler, "-O2", "-fopenmp", "src/plain.c", "-o", "plain")
            self.compile("-Wall", "-Wextra", "-O2", "src/a.c", "-o", "prog", WEFT_CC=compiler)
            self.runs("./prog", "./plain")
            # Threads that some processes have none of.
            few = self.run_it(BIN / "oshrun", "-n", "3", "./prog", WEFT_SHARED_BY="pages", OMP_NUM_THREADS="2")
            self.assertEqual(few.stdout, self.run_it("./plain").stdout)

    @unittest.skipUnless(HAS_FORTRAN, "no gfortran")
    def test_affinity_of_fortran(self):
        self.write("src/a.f90", AFFINE_FORTRAN)
        self.write("src/plain.f90", re.sub(r"schedule\(affinity.*\)", "schedule(static)", AFFINE_FORTRAN))
        self.run_it("gfortran", "-O2", "-fopenmp", "src/plain.f90", "-o", "plain")
        self.compile("-Wall", "-fcheck=bounds", "-O2", "src/a.f90", "-o", "prog", wrapper="weft-ompfort")
        self.runs("./prog", "./plain")

    def test_wrong_affinities(self):
        loop = "double u[9][9];\nvoid f(int n) {\n%s\n  for (int i = 0; i < n; i++) u[i][0] = 0;\n}\n"
        for text, error in (("#pragma omp for schedule(affinity, u[j][*])", "3: affinity: the variable of the loop is i, .* subscript j"),
                            ("#pragma omp for schedule(affinity, u[*][*])", "3: affinity.*: one subscript is the variable of the loop"),
                            ("#pragma omp for schedule(affinity)", "3: affinity\\(nothing\\): one subscript is"),
                            ("#pragma omp for collapse(1) schedule(affinity, u[i][*])", "3: affinity and collapse"),
                            ("#pragma omp task schedule(affinity, u[i][*])", "3: affinity stands before a #pragma omp for"),
                            ("#pragma omni affinity(u[i][*])", "3: affinity stands before"),
                            ("#pragma omni affinity(u[i][*])\n#pragma omp for schedule(static)", "4: affinity and a schedule are said"),
                            ("#pragma omp for schedule(affinity, u[i][*])\n  while (n)", "3: affinity: the loop behind it is to be as for"),
                            ("if (n)\n#pragma omp for schedule(affinity, u[i][*])", "4: affinity: put braces around the loop")):
            self.refused(loop % text, "src/a.c:" + error)
        if HAS_FORTRAN:
            for text, error in (("!$omni affinity(u(*, k))\n!$omp do", "5: affinity: the variable of the loop is j, .* subscript k"),
                                ("!$omni affinity(u(*, j))", "4: affinity stands before a !.omp do"),
                                ("!$omp sections schedule(affinity, u(*, j))", "4: affinity stands before a !.omp do")):
                self.refused("subroutine s\n  real :: u(9, 9)\n  integer :: j\n" + text + "\n  do j = 1, 9\n    u(1, j) = 1\n  end do\n"
                             "end subroutine\n", "src/a.f90:" + error, name="src/a.f90", wrapper="weft-ompfort")

    def test_what_is_made_is_named_by_the_source(self):
        for folder in ("src", "src dir"):
            self.write(f"{folder}/a.c", C)
            self.compile("-c", "-g", "-MD", f"{folder}/a.c")
            escaped = folder.replace(" ", "\\ ")
            self.assertTrue((self.folder / "a.d").read_text().startswith(f"a.o: {escaped}/a.c "), (self.folder / "a.d").read_text())
            self.assertNotIn(str(self.folder), (self.folder / "a.d").read_text().replace(f"{self.folder}/src", ""))
            debug = self.run_it("readelf", "--debug-dump=info", "a.o").stdout
            self.assertIn(f": {folder}/a.c\n", debug)
            self.assertNotIn("weft-omp.", debug)
        self.compile("-c", "-MMD", "-MF", "deps", "src/a.c", "-o", "b.o")
        self.assertTrue((self.folder / "deps").read_text().startswith("b.o: src/a.c "))
        self.compile("-c", "-MD", "src/a.c", "-o", "tmp.o")
        self.assertTrue((self.folder / "tmp.d").read_text().startswith("tmp.o: src/a.c "))
        self.assertIn(" src/a.c ", self.compile("-M", "src/a.c").replace("\n", " "))
        self.assertNotIn("weft-omp.", self.compile("-E", "src/a.c"))

    def test_ways_of_makefiles(self):
        self.write("src/a.c", C)
        self.write("src/b.c", "extern double u[512][512];\ndouble first(void) { return u[0][0]; }\n")
        self.run_it("gcc", "-fopenmp", "src/a.c", "-o", "plain")
        wanted = self.run_it("./plain").stdout
        self.compile("-c", "src/a.c")
        self.compile("-c", "-o", "b.o", "src/b.c")
        self.compile("a.o", "b.o", "-o", "prog")
        self.assertEqual(self.run_it("./prog").stdout, wanted)
        self.compile("src/a.c", "src/b.c")
        self.assertEqual(self.run_it("./a.out").stdout, wanted)
        self.write("args", "-O1 src/a.c\nsrc/b.c -o listed")
        self.compile("@args")
        self.assertTrue(self.has_mappings("listed"))
        self.assertEqual(self.run_it("./listed").stdout, wanted)
        self.write("src/c.c", "double more[512][512];\n#pragma omni mapping(more[block][*])\n")
        self.write("first", "src/a.c\n")
        self.write("second", "src/c.c -o lists\n")
        self.compile("@first", "@second")
        self.assertTrue(self.has_mappings("lists"))
        self.assertEqual(self.run_it("./lists").stdout, wanted)
        # Files that name files: what is in them counts.
        self.write("inner", "src/a.c\n")
        self.write("outer", "-O1 @inner @options -o nested\n")
        self.write("options", "-O1\n")
        self.compile("@outer")
        self.assertTrue(self.has_mappings("nested"))
        self.assertEqual(self.run_it("./nested").stdout, wanted)
        (self.folder / "nested").unlink()
        self.write("only", "@outer -lm\n")
        self.compile("@only")
        self.assertTrue(self.has_mappings("nested"))
        self.write("itself", "-O1 @itself\n")
        self.assertNotEqual(self.run_it(BIN / "weft-ompcc", "-c", "src/b.c", "@itself").returncode, 0)
        (self.folder / "pre.c").write_text(self.compile("-E", "src/a.c"))
        self.compile("pre.c", "-o", "preprocessed")
        self.assertEqual(self.run_it("./preprocessed").stdout, wanted)
        self.write("options", "-O1\n")
        self.compile("-x", "c", "@options", self.write("src/a.inc", C), "-o", "other")
        self.assertTrue(self.has_mappings("other"))
        self.assertEqual(self.run_it("./other").stdout, wanted.replace("a.c", "a.inc"))
        # Not with Weft's library: the directives do nothing.
        where = self.run_it("gcc", "-print-file-name=libgomp.so.1").stdout.strip()
        self.assertEqual(self.run_it("./prog", LD_LIBRARY_PATH=pathlib.Path(where).resolve().parent).stdout, wanted)

    def test_lines_are_those_of_the_source(self):
        wrong = C.replace("double sum = 0,", "double sum = 0, wrong = nothing,")
        line = wrong[:wrong.index("nothing")].count("\n") + 1
        self.refused(wrong, f"src/a.c:{line}:\\d+: error: .*nothing")

    def test_wrong_directives(self):
        for mapping, error in (("u[*][blok]", '"blok" of u: what becomes of a dimension'),
                               ("u[block][block]", "u is divided in 2 dimensions"),
                               ("u[*][cyclic(0)]", '"cyclic\\(0\\)": cyclic takes a number'),
                               ("u(block,*)", "u: write its subscripts as C does"),
                               ("u like v", "u and v: say which of their dimensions")):
            self.refused(f"double u[9][9];\n\n#pragma omni mapping({mapping})\n", "src/a.c:3: " + error)
        self.refused("#pragma omni nothing\n", "src/a.c:1: #pragma omni: there is mapping")
        self.refused("#pragma weft mapping(u[*]\n", "src/a.c:1: #pragma weft: there is mapping")

    def test_what_the_compiler_says(self):
        for text, error in (("double u[9];\n#pragma omni mapping(v[block])\n", "src/a.c:2:.*error: .*v. undeclared"),
                            ("double u[9][9];\n#pragma omni mapping(u[block])\n", "src/a.c:2:.*error: .*u has more dimensions than the 1 of"),
                            ("double u;\n#pragma omni mapping(u[block])\n", "src/a.c:2:.*error: .*u is no array"),
                            ("double *p;\n#pragma omni mapping(p[block])\n", "src/a.c:2:.*error: .*p is no array; say of memory"),
                            ("double **p;\nvoid f(void) {\n#pragma omni mapping(p[9: block][9: *])\n}\n",
                             "src/a.c:3:.*error: .*an element of dimension 1 of p is no array")):
            self.refused(text, error)
        self.refused("double *p;\n#pragma omni mapping(p[block])\n", "src/a.cpp:2:.*error: .*p is no array", name="src/a.cpp",
                     wrapper="weft-omp++")

    def start_fails(self, text, error, name="a.c", wrapper="weft-ompcc"):
        self.compile("-O1", self.write(name, text), "-o", "prog", wrapper=wrapper)
        ran = self.run_it(BIN / "oshrun", "-n", "2", "./prog", WEFT_SHARED_BY="pages", OMP_NUM_THREADS="2")
        self.assertNotEqual(ran.returncode, 0, text)
        self.assertRegex(ran.stderr, f"(?m)^weft: process [01]: OpenMP: {name}:" + error)
        self.assertEqual(self.run_it("./prog").returncode, 0)

    def test_what_the_start_says(self):
        arrays = "#include <stdlib.h>\ndouble u[900], v[900], w[90];\n"
        main = "int main(void) {\n#pragma omp parallel\n  v[0] = 1;\n  return 0;\n}\n"
        for mapping, error in (("u[i] like v[i]", "3: u is to be like v, which is not mapped"),
                               ("u[i], v[i], v[i], u[i]", "3: [uv] is aligned with [uv], which leads back to it"),
                               ("u[block], w[i] like u[i]", "3: dimension 1 of w has 90 elements, and dimension 1 of u, .* has 900"),
                               ("u[block], u[cyclic]", "3: u is mapped already, at a.c:3")):
            self.start_fails(arrays + f"#pragma omni mapping({mapping})\n" + main, error)
        run = "int main(void) {\n  double *p = malloc(8000), q[4000];\n  q[0] = 0;\n#pragma omp parallel\n  v[0] = 1;\n%s  free(p);\n  return 0;\n}\n"
        for mapping, error in (("p[9000: block]", "8: p has fewer elements than the directive says"),
                               ("q[4000: block]", "8: q lies on a stack, which stays with its process"),
                               ("p[1000: i] like u[i]", "8: dimension 1 of p has 1000 elements"),
                               ("p[atoi(\"0\"): block]", "8: p: dimension 1 has 0 elements")):
            self.start_fails(arrays + run % f"#pragma omni mapping({mapping})\n", error)
        self.start_fails(arrays + run % "#pragma omp parallel\n#pragma omni mapping(p[1000: block])\n",
                         "9: mapping of p: it stands in a parallel region")

    def test_the_option_wins(self):
        self.write("src/a.c", C)
        self.compile("-g", "src/a.c", "-o", "prog")
        shape = {"WEFT_SHARED_BY": "pages", "SHMEM_DEBUG": "1", "OMP_NUM_THREADS": "2"}
        said = self.run_it(BIN / "oshrun", "-n", "2", "./prog", WEFT_OMP_MAP="u: cyclic(64),*", **shape).stderr
        self.assertIn("WEFT_OMP_MAP, mapping 1: u (cyclic(64),*): ", said)
        self.assertNotIn(": u (block,*)", said)
        self.assertIn("src/a.c:6: v (like u): ", said)

    @unittest.skipUnless(HAS_FORTRAN, "no gfortran")
    def test_wrong_fortran(self):
        self.refused("module m\n  real :: u(9)\n  !$omni mapping(u(block))\nend module\n",
                     "src/a.f90:3: mapping stands where there are no statements", name="src/a.f90", wrapper="weft-ompfort")
        self.refused("program m\n  real :: u(9)\n  !$omni mapping(u[block])\nend program\n",
                     "src/a.f90:3: u: write its subscripts as Fortran does", name="src/a.f90", wrapper="weft-ompfort")
        self.refused("program m\n  implicit none\n  real :: u(9)\n  !$omni mapping(v(block))\n  u = 1\nend program\n",
                     "src/a.f90:4:", name="src/a.f90", wrapper="weft-ompfort")
        self.start_fails("program m\n  real, save :: u(900)\n  !$omni mapping(u(*,block))\n  !$omp parallel\n  u(1) = 1\n"
                         "  !$omp end parallel\nend program\n",
                         "3: u has 1 dimension, and the mapping says something of 2", name="a.f90", wrapper="weft-ompfort")
        self.start_fails("program m\n  real, save :: u(900)\n  u = 1\n  call inner\ncontains\n  subroutine inner\n"
                         "    !$omni mapping(u(block))\n    !$omp parallel\n    call deeper\n    !$omp end parallel\n"
                         "  end subroutine\n  subroutine deeper\n    !$weft mapping(u(cyclic(512)))\n    u(1) = 2\n  end subroutine\n"
                         "end program\n", "13: mapping of u: it stands in a parallel region", name="a.f90", wrapper="weft-ompfort")


if __name__ == "__main__":
    unittest.main()
