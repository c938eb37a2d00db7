/* The made-up interface's routines, and their twins for tools. */
#ifndef WEFT_TOY_H
#define WEFT_TOY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void toy_send(const void* data, size_t bytes, int pe);
void toy_receive(void* data, size_t bytes, int pe);
void ptoy_send(const void* data, size_t bytes, int pe);
void ptoy_receive(void* data, size_t bytes, int pe);
#ifdef __cplusplus
}
#endif
#endif
