# weft_spec_variants(NAME spec.8.1.put_get SOURCE c08_01_put_get.cpp PES 1 2 3 7 [anything of weft_program_test])
# The same program three times: with the inline bodies (-O2), out of line (-DWEFT_NO_INLINE, name .calls), and without
# optimisation (-O0, name .O0), where an inline body is only a declaration. The last two run at 3 PEs.
function(weft_spec_variants)
  cmake_parse_arguments(V "" "NAME" "PES;OPTIONS;DEFINES" ${ARGN})
  weft_program_test(NAME ${V_NAME} PES ${V_PES} OPTIONS -O2 ${V_OPTIONS} DEFINES ${V_DEFINES} ${V_UNPARSED_ARGUMENTS})
  weft_program_test(NAME ${V_NAME}.calls PES 3 TIER tier2 OPTIONS -O1 ${V_OPTIONS} DEFINES WEFT_NO_INLINE ${V_DEFINES}
                    ${V_UNPARSED_ARGUMENTS})
  weft_program_test(NAME ${V_NAME}.O0 PES 3 TIER tier2 OPTIONS -O0 ${V_OPTIONS} DEFINES ${V_DEFINES} ${V_UNPARSED_ARGUMENTS})
endfunction()
