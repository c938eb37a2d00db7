// What tools use of libweft.so beside the routines. All of it is weak: a tool is also loaded, when it is preloaded by
// hand, into programs that have no libweft.so, and must do no harm there.
#pragma once

#include "shmem.h"
#include "shmem/support.hpp"

#pragma weak weft_ctx_default
#pragma weak weft_team_world
#pragma weak weft_team_shared
#pragma weak weft_support_fail
#pragma weak weft_support_say
#pragma weak weft_support_caller_name
#pragma weak weft_support_caller_site
#pragma weak weft_support_set_place
#pragma weak weft_support_set_tool_site
#pragma weak weft_support_memory
#pragma weak weft_support_describe
#pragma weak weft_support_heap_in_use
#pragma weak weft_support_heap_bytes
