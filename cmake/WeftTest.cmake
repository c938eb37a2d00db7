# How tests are declared. Every test runs under tests/support/run_program, which ends it and all it started when its
# time is up, and fails it when it leaves a process, a file or a shared memory object behind.

set(WEFT_TEST_MAX_PES 64 CACHE STRING "tests of more PEs than this are left out")
set(weft_test_slower 1)
if(WEFT_SANITIZE)
  set(weft_test_slower 4)
endif()
# Some tests are about how a PE dies of a signal, so the sanitizers leave signals alone.
set(weft_test_environment
  "ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:detect_stack_use_after_return=0:handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0"
  "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks_of_others.txt:print_suppressions=0"
  "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0"
  "WEFT_COPY_FILE=none"  # what a test does is not to depend on the one before, nor to be left in somebody's home
  "WEFT_TEST_SLOW=${weft_test_slower}")
# For programs of shared memory by pages, on one machine too. TSan takes the fault of a load for a signal at any time,
# and warns of memory that its handler takes.
set(weft_by_pages WEFT_SHARED_BY=pages)
if(WEFT_SANITIZE MATCHES thread)
  foreach(variable IN LISTS weft_test_environment)
    if(variable MATCHES "^TSAN_OPTIONS=")
      list(APPEND weft_by_pages "${variable}:report_signal_unsafe=0")
    endif()
  endforeach()
endif()

# Each test has one of the labels tier1, tier2 and tier3 (CONTRIBUTING.md, "Three tiers"). For a test of programs it
# follows from how many PEs it has: the first tier takes the smallest number from 2 to 4, the second one adds 7, runs
# without oshrun, and the number of a test that has one only; the rest is the third's, and so is what is above 7.
function(weft_tier_of_pes variable pes)
  set(several ${ARGN})
  list(FILTER several EXCLUDE REGEX "^[01]$")
  list(SORT several COMPARE NATURAL)
  set(smallest none)
  if(several)
    list(GET several 0 smallest)
  endif()
  set(tier tier3)
  if(pes EQUAL 0 OR pes EQUAL 7 OR "${ARGN}" STREQUAL "${pes}")
    set(tier tier2)
  endif()
  if(pes EQUAL smallest AND NOT pes GREATER 4)
    set(tier tier1)
  endif()
  if(pes GREATER 7)
    set(tier tier3)
  endif()
  set(${variable} ${tier} PARENT_SCOPE)
endfunction()

if(WEFT_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# weft_googletest(<target> [LIBRARIES ...]): a program of GoogleTest. Its headers are most of what such a program costs to
# compile, half of the time that building everything took; lines alone for debuggers and -O1 take 0.56 of that, and
# headers that are read once for all of these programs 0.6 of the rest. gcc takes such a header also where other macros
# are defined beside it, clang does not. It forgets that what it has read belongs to the system, and so tells what gcc 12
# wrongly sees in strings of the library: those warnings are off, and sanitizers, with which it sees more, do without. A
# cache of objects knows the header by its bytes, which are others in each folder, so with one all would be compiled anew.
function(weft_googletest target)
  cmake_parse_arguments(G "" "" "LIBRARIES" ${ARGN})
  target_link_libraries(${target} PRIVATE weft_flags weft_warnings ${G_LIBRARIES} GTest::gtest_main)
  target_compile_options(${target} PRIVATE -O1 -g1)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR CMAKE_CXX_COMPILER_LAUNCHER OR WEFT_SANITIZE)
    return()
  endif()
  if(NOT TARGET weft_googletest_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/generated/googletest.cpp "")
    add_library(weft_googletest_headers OBJECT ${PROJECT_BINARY_DIR}/generated/googletest.cpp)
    target_link_libraries(weft_googletest_headers PRIVATE weft_flags weft_warnings GTest::gtest)
    target_compile_options(weft_googletest_headers PRIVATE -O1 -g1 -fPIE) # as programs are compiled
    target_precompile_headers(weft_googletest_headers PRIVATE <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM weft_googletest_headers)
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                         -Wno-stringop-overread)
endfunction()

# weft_discover_tests(<target> PREFIX p TIMEOUT s LABELS l... [FILTER f] [ENVIRONMENT A=B...]): the tests of a program of
# GoogleTest. gtest_discover_tests takes apart what is a list, so labels and environment are given when ctest reads them.
function(weft_discover_tests target)
  cmake_parse_arguments(D "" "PREFIX;TIMEOUT;FILTER" "LABELS;ENVIRONMENT" ${ARGN})
  if(NOT D_ENVIRONMENT)
    set(D_ENVIRONMENT ${weft_test_environment})
  endif()
  string(MAKE_C_IDENTIFIER "${target}_${D_FILTER}" list)
  gtest_discover_tests(${target} TEST_PREFIX ${D_PREFIX} TEST_FILTER "${D_FILTER}" TEST_LIST ${list} DISCOVERY_TIMEOUT 60
                       NO_PRETTY_VALUES NO_PRETTY_TYPES)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${list}_properties.cmake)
  file(WRITE ${file} "foreach(test IN LISTS ${list})
  set_tests_properties(\"\${test}\" PROPERTIES TIMEOUT ${D_TIMEOUT} LABELS \"${D_LABELS}\"
                       ENVIRONMENT \"${D_ENVIRONMENT}\")
endforeach()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()

# weft_unit_test(<room> a_test.cpp ... [LIBRARIES ...] [DEFINES ...])
# Adds GoogleTest files to the unit tests of a room; the tests are named unit.<room>.<Suite>.<Test>. They link the room
# and every room below it, so they reach what libweft.so hides.
function(weft_unit_test room)
  cmake_parse_arguments(UNIT "" "" "LIBRARIES;DEFINES" ${ARGN})
  string(REPLACE "/" "_" safe ${room})
  set(target unit_${safe})
  if(NOT TARGET ${target})
    add_executable(${target})
    weft_googletest(${target} LIBRARIES weft_test_support)
    if(TARGET weft_${safe})
      weft_link_rooms(${target} ${room})
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    math(EXPR limit "120 * ${weft_test_slower}")
    weft_discover_tests(${target} PREFIX unit.${room}. TIMEOUT ${limit} LABELS unit tier1)
  endif()
  target_sources(${target} PRIVATE ${UNIT_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE ${UNIT_LIBRARIES})
  target_compile_definitions(${target} PRIVATE ${UNIT_DEFINES})
endfunction()

# weft_program(<target> SOURCES ... [STD n] [LANGUAGE c|cxx] [DEFINES ...] [OPTIONS ...] [LIBRARIES ...])
# A program of a user, compiled and linked against the library just built.
function(weft_program target)
  cmake_parse_arguments(PROGRAM "" "STD;LANGUAGE" "SOURCES;DEFINES;OPTIONS;LINK_OPTIONS;LIBRARIES" ${ARGN})
  add_executable(${target} ${PROGRAM_SOURCES})
  if(PROGRAM_SOURCES MATCHES "\\.[fF](90)?(;|$)")
    list(APPEND PROGRAM_LIBRARIES weft_for_fortran)
    # Programs may have modules of one name.
    set_target_properties(${target} PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.modules)
  endif()
  target_link_libraries(${target} PRIVATE weft ${PROGRAM_LIBRARIES})
  target_compile_options(${target} PRIVATE -Wall ${PROGRAM_OPTIONS})
  target_compile_definitions(${target} PRIVATE ${PROGRAM_DEFINES})
  target_link_options(${target} PRIVATE ${PROGRAM_LINK_OPTIONS})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
                        C_EXTENSIONS ON CXX_EXTENSIONS ON)
  if(PROGRAM_LANGUAGE)
    string(TOUPPER ${PROGRAM_LANGUAGE} language)
    set_source_files_properties(${PROGRAM_SOURCES} PROPERTIES LANGUAGE ${language})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  endif()
  if(PROGRAM_STD)
    if(PROGRAM_LANGUAGE STREQUAL "cxx" OR PROGRAM_SOURCES MATCHES "\\.(cpp|cc|cxx)$")
      set_target_properties(${target} PROPERTIES CXX_STANDARD ${PROGRAM_STD})
    else()
      set_target_properties(${target} PROPERTIES C_STANDARD ${PROGRAM_STD})
    endif()
  endif()
endfunction()

# weft_runner(<variable> LIMIT s [PROGRESS] [EXIT n | nonzero] [EXPECT regex...] [REJECT regex...] [STDIN file]): the first words of a
# test's command; what is run follows them. Below, weft_program_test says what they mean.
function(weft_runner variable)
  cmake_parse_arguments(R "PROGRESS" "LIMIT;EXIT;STDIN" "EXPECT;REJECT" ${ARGN})
  set(limit --limit)
  if(R_PROGRESS)
    set(limit --silence)
  endif()
  set(words $<TARGET_FILE:weft_run_program> ${limit} ${R_LIMIT})
  foreach(regex IN LISTS R_EXPECT)
    list(APPEND words --expect ${regex})
  endforeach()
  foreach(regex IN LISTS R_REJECT)
    list(APPEND words --reject ${regex})
  endforeach()
  if(DEFINED R_EXIT)
    list(APPEND words --exit ${R_EXIT})
  endif()
  if(R_STDIN)
    list(APPEND words --stdin ${R_STDIN})
  endif()
  set(${variable} ${words} -- PARENT_SCOPE)
endfunction()

# weft_program_test(NAME spec.2.1 SOURCE c02_01.c PES 1 2 3 7 ...)
# Builds a program and runs it once for each number of PEs: tests spec.2.1.n1, spec.2.1.n2, ... PES 0 is a run
# without oshrun, named spec.2.1.alone.
#
#   NAME name            as ctest knows it, without the number of PEs
#   SOURCE files         .c, .cpp or .f90; or
#   TARGET target        a program that exists already (weft_program, or another test's: its NAME with _ for each dot)
#   PES n...             default: 2
#   ARGS a...            arguments of the program          LAUNCH_ARGS a...  arguments of oshrun, after -n N
#   ENV A=B...           its environment                   STDIN file        what oshrun reads (default: nothing)
#   EXPECT regex...      each must match a line of what the job prints (stdout and stderr, ECMAScript syntax)
#   REJECT regex...      none may match
#   EXIT n | nonzero     the exit code asked for (default 0)
#   TIMEOUT s            seconds until it is ended and has failed (default 60; longer with sanitizers)
#   PROGRESS             it tells how far it is; the seconds are those between two lines
#   STD n  LANGUAGE c|cxx  DEFINES ...  OPTIONS ...  LINK_OPTIONS ...  LIBRARIES ...      see weft_program
#   LABELS l...          more ctest labels                 SERIAL            run while no other test runs
#   TIER tier            its label tier1, tier2 or tier3, if not the one that follows from the number of PEs
set(weft_test_flags SERIAL PROGRESS)
set(weft_test_values NAME TARGET EXIT TIMEOUT STD LANGUAGE STDIN TIER)
set(weft_test_lists SOURCE PES ARGS LAUNCH_ARGS ENV EXPECT REJECT LABELS DEFINES OPTIONS LINK_OPTIONS LIBRARIES)
function(weft_program_test)
  cmake_parse_arguments(T "${weft_test_flags}" "${weft_test_values}" "${weft_test_lists}" ${ARGN})
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "weft_program_test(${T_NAME}): unknown arguments: ${T_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT T_NAME OR NOT (T_SOURCE OR T_TARGET))
    message(FATAL_ERROR "weft_program_test: NAME and one of SOURCE and TARGET are needed: ${ARGN}")
  endif()
  if(NOT T_TARGET)
    string(REGEX REPLACE "[^A-Za-z0-9_]" "_" T_TARGET ${T_NAME})
    weft_program(${T_TARGET} SOURCES ${T_SOURCE} STD ${T_STD} LANGUAGE ${T_LANGUAGE} DEFINES ${T_DEFINES}
                 OPTIONS ${T_OPTIONS} LINK_OPTIONS ${T_LINK_OPTIONS} LIBRARIES ${T_LIBRARIES})
  endif()
  if(NOT DEFINED T_PES)
    set(T_PES 2)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 60)
  endif()
  math(EXPR T_TIMEOUT "${T_TIMEOUT} * ${weft_test_slower}")
  # The runner's own limit comes first: it says more and cleans up.
  set(progress "")
  math(EXPR ctest_limit "${T_TIMEOUT} + 30")
  if(T_PROGRESS)
    set(progress PROGRESS)
    set(ctest_limit 7200)
  endif()
  string(REGEX MATCH "^[^.]+" area ${T_NAME})
  foreach(pes IN LISTS T_PES)
    if(pes GREATER WEFT_TEST_MAX_PES)
      continue()
    endif()
    weft_runner(command LIMIT ${T_TIMEOUT} ${progress} EXIT ${T_EXIT} STDIN ${T_STDIN} EXPECT ${T_EXPECT} REJECT ${T_REJECT})
    if(pes EQUAL 0)
      set(name ${T_NAME}.alone)
    else()
      set(name ${T_NAME}.n${pes})
      list(APPEND command ${PROJECT_BINARY_DIR}/bin/oshrun -n ${pes} ${T_LAUNCH_ARGS})
    endif()
    add_test(NAME ${name} COMMAND ${command} $<TARGET_FILE:${T_TARGET}> ${T_ARGS})
    set(tier ${T_TIER})
    if(NOT tier)
      weft_tier_of_pes(tier ${pes} ${T_PES})
    endif()
    # PEs mostly wait for each other: four of them keep one processor busy.
    math(EXPR processors "(${pes} + 3) / 4")
    if(processors EQUAL 0)
      set(processors 1)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ctest_limit} LABELS "${area};${tier};${T_LABELS}" PROCESSORS ${processors}
                         ENVIRONMENT "${weft_test_environment};${T_ENV}")
    if(T_SERIAL)
      set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()

# weft_example(ring.c PES 4 EXPECT "^ring of 4 done$"): an example is a program that must print what it promises.
# Its test is named example.<language folder>.<name>.
function(weft_example source)
  get_filename_component(name ${source} NAME_WE)
  get_filename_component(folder ${source} DIRECTORY)
  if(NOT folder)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  endif()
  if(WEFT_TESTS)
    weft_program_test(NAME example.${folder}.${name} SOURCE ${source} ${ARGN})
  else()
    # All words of a test: one that is not known would be taken for an item of the list before it.
    cmake_parse_arguments(E "${weft_test_flags}" "${weft_test_values}" "${weft_test_lists}" ${ARGN})
    weft_program(example_${folder}_${name} SOURCES ${source} STD ${E_STD} LANGUAGE ${E_LANGUAGE} DEFINES ${E_DEFINES}
                 OPTIONS ${E_OPTIONS} LINK_OPTIONS ${E_LINK_OPTIONS} LIBRARIES ${E_LIBRARIES})
  endif()
endfunction()
